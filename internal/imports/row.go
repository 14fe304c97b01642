package imports

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/imports/sheet"
	"enlist/internal/language"
)

// This file reads a row of a file: the values of its Fields, its system values and its consent.

// importRow is a row that was read and checked.
type importRow struct {
	number int64 // in the file
	cells  []any // nil: the file has the row wrong
	raw    []any // the same, also of such a row
	parsed *contacts.ParsedContact
	ledger enlist.LedgerRow
	system importedState
	value  string // the refused value, shortened
	err    error  // why the row is refused

	status    rowStatus
	leftOut   []leftOutValue // values that did not fit
	isFixable bool           // the row is refused only for values that could be left out
}

// leftOutValue is a value that its Field does not accept.
type leftOutValue struct {
	column        int
	value, reason string
	err           error
}

// importedState are the system values of a row.
type importedState struct {
	created, confirmed, left              int64 // Unix times; 0: not given
	isUnsubscribed, isInactive, isBounced bool
	isStated                              bool // confirmed by the text of the consent
	tracking                              enlist.TrackingConsent
	trackingText, textVersion             string // what the person read about the recording
}

// rowParser reads rows. Its result depends only on the Schema and the day, so rows are read before the transaction that
// stores them.
type rowParser struct {
	options *ImportOptions
	schema  *enlist.Schema
	today   string
	zone    *time.Location
	columns []boundColumn
	inputs  []enlist.Input       // of the row that is read
	sent    []contacts.SentValue // of the row that is read
}

func newRowParser(i *Import, schema *enlist.Schema, today string) *rowParser {
	columns := bindColumns(i, schema)
	return &rowParser{options: &i.Options, schema: schema, today: today, zone: enlist.Location(schema.TimeZone),
		columns: columns,
		inputs:  make([]enlist.Input, len(columns)), sent: make([]contacts.SentValue, 0, len(columns))}
}

// isCurrent reports whether reading the row again would give the same result.
func (r *importRow) isCurrent(p *rowParser) bool {
	return r.parsed != nil && r.parsed.IsCurrent(p.schema, p.today) || r.parsed == nil && r.cells == nil
}

// parse reads and checks a row. A row that the file itself has wrong has no cells.
func (p *rowParser) parse(r *importRow) {
	if r.cells == nil {
		return
	}
	r.parsed = &contacts.ParsedContact{Schema: p.schema, Today: p.today}
	r.ledger, r.system, r.value, r.err = enlist.LedgerRow{}, importedState{}, "", nil
	r.status, r.leftOut, r.isFixable = p.statusOf(r.cells), nil, false
	consent := contacts.Consent{Type: enlist.ConsentType(p.options.ConsentType), Text: p.options.ConsentText}
	at, err := p.read(r, &consent)
	if err == nil && p.options.As == AsContacts && !r.isLeaving(p.options) {
		err = p.agree(r, &consent, at)
	}
	if err == nil && r.system.tracking != enlist.TrackingUnknown {
		d := contacts.TrackingDecision{Consent: r.system.tracking, Version: r.system.textVersion,
			By: contacts.Origin{Text: r.system.trackingText}}
		err = d.Check()
	}
	if err == nil && len(r.leftOut) > 0 && p.options.BadValues != BadValuesLeaveOut {
		r.isFixable, err = true, r.leftOut[0].err
	}
	if err != nil {
		r.err = err
		r.value = p.refusedValue(r, err)
	}
}

// read reads all cells. It returns the time of the row's consent, or 0.
func (p *rowParser) read(r *importRow, consent *contacts.Consent) (at int64, err error) {
	p.sent = p.sent[:0]
	for n := range p.columns {
		b := &p.columns[n]
		if n >= len(r.cells) {
			break
		}
		fault, isFault := r.cells[n].(sheet.CellError)
		switch {
		case r.isLeaving(p.options) && !b.ofLeaving():
		case isFault && (b.field != nil || b.key != ""):
			err = enlist.Invalid(b.name(), string(fault))
		case b.field != nil:
			in, sent := b.input(r.cells[n])
			err = b.check(in)
			if sent {
				p.inputs[n] = in
				p.sent = append(p.sent, contacts.SentValue{Field: b.field, Value: &p.inputs[n]})
			}
		case b.key == keyConsentTime:
			at, err = b.unixTime(r.cells[n], p.zone)
		case b.key != "":
			err = p.readKey(b, r, consent, r.cells[n])
		}
		if err != nil && (b.key == keyCreated || isFault && p.isOptional(b.field)) {
			p.leaveOut(r, n, err)
			err = nil
		}
		if err != nil {
			return 0, err
		}
	}
	if err := p.parseSent(r); err != nil {
		return 0, err
	}
	if p.options.As == AsContacts {
		r.parsed.Initial = r.parsed.InitialValues()
	}
	return at, nil
}

// readKey reads a cell that is not the value of a Field.
func (p *rowParser) readKey(b *boundColumn, r *importRow, consent *contacts.Consent, cell any) (err error) {
	switch s := &r.system; b.key {
	case keyCreated:
		s.created, err = b.unixTime(cell, p.zone)
	case keyConfirmed:
		s.confirmed, err = b.unixTime(cell, p.zone)
	case keyUnsubscribedTime:
		s.left, err = b.unixTime(cell, p.zone)
	case keyUnsubscribed:
		s.isUnsubscribed, err = b.flag(cell, false)
	case keyBounced:
		s.isBounced, err = b.flag(cell, false)
	case keyActive:
		var isActive bool
		isActive, err = b.flag(cell, true)
		s.isInactive = !isActive
	default:
		text, _ := inputOf(cell).AsText()
		text = strings.TrimSpace(text)
		switch {
		case text == "":
		case b.key == keyConsentType:
			consent.Type = enlist.ConsentType(strings.ToLower(text))
		case b.key == keyConsentText:
			consent.Text = text
		case b.key == keyConsentIP:
			consent.IP = text
		case b.key == keyConsentPreferences:
			consent.Preferences, err = p.preferences(text)
		case b.key == keyTracking:
			r.system.tracking, err = trackingOf(text)
		case b.key == keyTrackingText:
			r.system.trackingText = text
		case b.key == keyLanguage:
			r.parsed.Language, _ = language.Code(text) // mails are in that of the List for people of other languages
		case b.key == keyTextVersion:
			r.system.textVersion = text
		}
	}
	return err
}

// preferences reads a person's answers: names of preferences, separated by semicolons. A name can be followed by =no.
func (p *rowParser) preferences(text string) (all []enlist.PreferenceChoice, err error) {
	for item := range strings.SplitSeq(text, ";") {
		item = strings.TrimSpace(item)
		choice := enlist.PreferenceChoice{Name: item, Agree: true}
		if p.schema.Preference(item) == nil {
			if i := strings.LastIndexByte(item, '='); i >= 0 {
				agree, ok := TickOf(item[i+1:])
				if ok {
					choice = enlist.PreferenceChoice{Name: strings.TrimSpace(item[:i]), Agree: agree}
				}
			}
		}
		switch {
		case item == "":
		case p.schema.Preference(choice.Name) == nil:
			return nil, enlist.Invalid(keyConsentPreferences, "the List has no preference "+enlist.Quoted(choice.Name))
		default:
			all = append(all, choice)
		}
	}
	return all, nil
}

// agree checks the consent of a row and prepares its row of the ledger.
func (p *rowParser) agree(r *importRow, consent *contacts.Consent, at int64) error {
	if err := consent.Check(p.schema); err != nil {
		return err
	}
	var err error
	r.ledger, err = consent.Row(p.schema)
	r.ledger.Time = at
	r.system.isStated = p.options.Confirm == ConfirmStatement && p.schema.List.DoubleOptIn && r.system.confirmed == 0 &&
		strings.TrimSpace(r.ledger.Text) != "" && r.ledger.Type != contacts.ConsentNotRecorded
	return err
}

// maxShownValue is the longest part of a refused value that a result shows, in bytes.
const maxShownValue = 200

// refusedValue returns the value that an error is about, for the person who corrects the file.
func (p *rowParser) refusedValue(r *importRow, err error) string {
	n := p.columnOf(r, err)
	if n < 0 {
		return ""
	}
	if at, ok := r.cells[n].(time.Time); ok {
		return isoTime(at)
	}
	text, _ := inputOf(r.cells[n]).AsText()
	return shorten(text, maxShownValue)
}

// columnOf returns the column that an error is about, or -1.
func (p *rowParser) columnOf(r *importRow, err error) int {
	refusal, ok := errors.AsType[*enlist.Error](err)
	if !ok {
		return -1
	}
	return slices.IndexFunc(p.columns[:min(len(p.columns), len(r.cells))], func(b boundColumn) bool {
		return b.name() != "" && b.name() == refusal.Field
	})
}

// shorten returns the beginning of a text.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// newContact returns the Contact that a row adds.
func (r *importRow) newContact(now int64) *enlist.Contact {
	c := r.parsed.NewContact("bulk_upload", now)
	c.Created = cmp.Or(r.system.created, now)
	return &c
}

// restore sets the state that the row gives to a Contact. It reports whether this changes the Contact, and whether it
// changes something that contacts.Update stores and contacts.UpdateContacts does not. A row never makes a Contact
// get mail again that gets none now.
func (r *importRow) restore(c *enlist.Contact) (changed, inFull bool) {
	s := &r.system
	before := *c
	if s.confirmed != 0 && !c.DoubleOptIn {
		c.DoubleOptIn, c.DoubleOptInTime = true, s.confirmed
	}
	c.IsUnsubscribed = c.IsUnsubscribed || s.isUnsubscribed
	c.IsBounceDeactivated = c.IsBounceDeactivated || s.isBounced
	c.IsActive = c.IsActive && !s.isInactive && !s.isBounced
	inFull = before.IsUnsubscribed != c.IsUnsubscribed || before.IsBounceDeactivated != c.IsBounceDeactivated ||
		before.IsActive != c.IsActive
	inFull = contacts.SetPreferences(c, r.parsed.Schema, r.ledger.Preferences) || inFull
	return inFull || before.DoubleOptIn != c.DoubleOptIn, inFull
}
