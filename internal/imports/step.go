package imports

import (
	"errors"
	"hash/maphash"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file stores the rows of one step of an Import. The Contacts, their rows of the ledger, the results and the
// number of rows that are done are stored in one transaction, so after a crash no row is stored twice and none is lost.
// A dry run decides in the same way, and stores only the results.

// importStep is the largest number of rows that one transaction stores.
const importStep = 1000

// maxChunk ends a step early, in bytes of the texts of its rows: a row can have 1 MiB of them.
const maxChunk = 8 << 20

// importChunk are the rows of one step.
type importChunk struct {
	rows   []importRow
	upto   int64 // number of rows of the file after this step
	bytes  int64 // number of bytes that were read so far
	last   bool  // the file has no further rows
	failed error // why the rest of the file cannot be read; nil if it can
}

// decision is what becomes of a row.
type decision struct {
	row     *importRow
	outcome RowOutcome
	reason  string
	contact *enlist.Contact // nil: none. The ID of a new Contact is 0 until it is stored
	event   enlist.WebhookEventType
}

// Reasons of results, for a person who reads them. The reason of a refused row is the text of its error.
const (
	reasonExists       = "a Contact of the List has this address, or an earlier row of the file"
	reasonNoChange     = "the Contact has these values already"
	reasonUnsubscribed = "the Contact has unsubscribed"
	reasonOnTheList    = "the address is on the Unsubscriber List"
	reasonAllRefused   = "the first 100,000 rows were all refused: the results say why"
)

// importTx is the transaction of a step.
type importTx struct {
	tx     *db.Tx
	i      *Import
	schema *enlist.Schema
	caller *enlist.Caller // the key that added the Import, for the ledger
	now    int64
	seen   *addressSet // of a dry run: the addresses that it would have added
	all    []*decision
	stored []*decision // those of all that are Contacts, if a row of another state is none

	inFull  map[*enlist.Contact]bool         // Contacts with changes that only contacts.Update stores
	repeats map[*enlist.Contact][]*importRow // later rows of a new Contact
	ended   []enlist.LedgerRow               // the subscriptions that a file of unsubscribers ended
	stated  map[*enlist.Contact]*importRow   // Contacts that the text of their consent confirms
}

// store decides what becomes of each row, and stores it. In a dry run it only decides. On PostgreSQL another
// transaction can store an address after its look-up. Then the loop decides again for its rows.
func (s *importTx) store(rows []importRow) error {
	decisions := make([]decision, len(rows))
	s.all = make([]*decision, len(rows))
	for n := range rows {
		decisions[n].row = &rows[n]
		s.all[n] = &decisions[n]
	}
	open, left := s.split()
	s.stored, s.inFull, s.repeats = open, make(map[*enlist.Contact]bool), make(map[*enlist.Contact][]*importRow)
	s.stated = make(map[*enlist.Contact]*importRow)
	for len(open) > 0 {
		added, changed, err := s.decide(open)
		if err != nil {
			return err
		}
		if s.i.Options.DryRun {
			break
		}
		if err := contacts.InsertNewContacts(s.tx, contactsOf(added)); err != nil {
			return err
		}
		if err := s.complete(added, changed); err != nil {
			return err
		}
		var again []*decision
		for _, d := range open {
			if d.contact != nil && d.contact.ID == 0 {
				*d = decision{row: d.row}
				again = append(again, d)
			}
		}
		open = again
	}
	if !s.i.Options.DryRun {
		if err := s.record(); err != nil {
			return err
		}
	}
	return s.leave(left)
}

// split returns the rows that become Contacts, and those that become entries of the Unsubscriber List. It decides about
// rows that are left out because of the state of their person.
func (s *importTx) split() (open, left []*decision) {
	for _, d := range s.all {
		switch o := &s.i.Options; {
		case d.row.err != nil || !d.row.isLeaving(o):
			open = append(open, d)
		case o.Status == StatusUnsubscribe:
			left = append(left, d)
		default:
			d.outcome, d.reason = RowSkipped, d.row.status.reason(s.i.Columns)
		}
	}
	return open, left
}

func contactsOf(added []*decision) []*enlist.Contact {
	all := make([]*enlist.Contact, len(added))
	for n, d := range added {
		all[n] = d.contact
	}
	return all
}

// decide sets the outcome of each row. It returns the rows that add a Contact, and the stored Contacts that change.
func (s *importTx) decide(open []*decision) (added []*decision, changed []*enlist.Contact, err error) {
	room, err := contacts.AccountRoom(s.tx, s.caller.Account)
	if err != nil {
		return nil, nil, err
	}
	known, unsubscribed, err := s.lookUp(open) // after the lock of the number, so that a Contact of another call is found
	if err != nil {
		return nil, nil, err
	}
	isChanged := make(map[*enlist.Contact]bool)
	for _, d := range open {
		if d.row.err != nil {
			d.outcome, d.reason = RowRefused, d.row.err.Error()
			continue
		}
		parsed := d.row.parsed
		c := known[parsed.Key]
		switch {
		case c != nil:
			s.existing(d, c)
			if d.event != "" && c.ID != 0 && !isChanged[c] {
				isChanged[c] = true
				changed = append(changed, c)
			}
		case s.i.Options.DryRun && s.seen.has(parsed.Key):
			s.repeated(d)
		case unsubscribed[parsed.Key] || parsed.Mobile != "" && unsubscribed[parsed.Mobile]:
			d.outcome, d.reason = RowSkipped, reasonOnTheList
		case room == 0:
			d.outcome = RowRefused
			d.reason = enlist.Refuse(enlist.ContactLimit, "the Account may store %d Contacts",
				s.caller.Account.ContactLimit).Error()
		default:
			room--
			d.outcome, d.event, d.contact = RowAdded, enlist.WebhookCreated, d.row.newContact(s.now)
			added, known[parsed.Key] = append(added, d), d.contact
		}
	}
	return added, changed, nil
}

// lookUp returns the stored Contacts with the addresses of the rows, and the addresses without a Contact that have
// unsubscribed.
func (s *importTx) lookUp(open []*decision) (known map[string]*enlist.Contact, unsubscribed map[string]bool, err error) {
	keys := make([]string, 0, len(open))
	for _, d := range open {
		if d.row.err == nil {
			keys = append(keys, d.row.parsed.Key)
		}
	}
	known, err = contacts.FirstContacts(s.tx, s.i.ListID, keys)
	if err != nil || s.i.Options.Skip == SkipNoAddress {
		return known, nil, err
	}
	keys = keys[:0]
	for _, d := range open {
		if d.row.err != nil || known[d.row.parsed.Key] != nil {
			continue
		}
		keys = append(keys, d.row.parsed.Key)
		if m := d.row.parsed.Mobile; m != "" && m != d.row.parsed.Key {
			keys = append(keys, m)
		}
	}
	list := s.i.ListID
	if s.i.Options.Skip == SkipOfAccount {
		list = 0
	}
	unsubscribed, err = contacts.UnsubscribedAmong(s.tx, s.i.AccountID, list, keys)
	return known, unsubscribed, err
}

// existing decides about a row whose address a Contact has, which may be a Contact of an earlier row.
func (s *importTx) existing(d *decision, c *enlist.Contact) {
	switch {
	case c.IsUnsubscribed && s.i.Options.Skip != SkipNoAddress:
		d.outcome, d.reason, d.contact = RowSkipped, reasonUnsubscribed, c
		return
	case s.i.Options.Existing == ExistingLeave:
		d.outcome, d.reason, d.contact = RowUnchanged, reasonExists, c
		return
	}
	d.contact = c
	isChanged := d.row.parsed.Apply(c)
	if c.ID == 0 {
		s.repeats[c] = append(s.repeats[c], d.row) // complete restores the state after the INSERT
	} else {
		isChanged = s.restore(d.row, c) || s.decides(d.row, c) || isChanged
	}
	if !isChanged {
		d.outcome, d.reason = RowUnchanged, reasonNoChange
		return
	}
	c.Modified = s.now
	d.outcome, d.event = RowUpdated, enlist.WebhookUpdated
}

// repeated decides about a row of a dry run whose address an earlier step would have added.
func (s *importTx) repeated(d *decision) {
	d.outcome, d.reason = RowUnchanged, reasonExists
	if s.i.Options.Existing == ExistingOverwrite {
		d.outcome, d.reason = RowUpdated, ""
	}
}

// complete stores the state of the new Contacts and the changes of the others.
func (s *importTx) complete(added []*decision, changed []*enlist.Contact) error {
	for _, d := range added {
		if d.contact.ID == 0 {
			continue
		}
		isRestored := s.restore(d.row, d.contact)
		for _, row := range s.repeats[d.contact] {
			isRestored = s.restore(row, d.contact) || isRestored
		}
		if isRestored {
			changed = append(changed, d.contact)
		}
		if err := s.recordLeft(d); err != nil {
			return err
		}
	}
	var values []*enlist.Contact
	for _, c := range changed {
		if !s.inFull[c] {
			values = append(values, c)
		} else if err := contacts.Update(s.tx, c); err != nil {
			return err
		}
	}
	return contacts.UpdateContacts(s.tx, values)
}

// restore sets the state that a row gives to a Contact, and reports whether this changes it.
func (s *importTx) restore(row *importRow, c *enlist.Contact) (changed bool) {
	changed, inFull := row.restore(c)
	s.inFull[c] = s.inFull[c] || inFull
	if row.system.isStated && !c.DoubleOptIn && !c.IsUnsubscribed {
		c.DoubleOptIn, c.DoubleOptInTime = true, s.now
		s.stated[c], changed = row, true
	}
	return changed
}

// recordLeft adds the address of a new Contact to the Unsubscriber List, if its row says that it has unsubscribed.
func (s *importTx) recordLeft(d *decision) error {
	if !d.contact.IsUnsubscribed {
		return nil
	}
	u := s.unsubscriber(d)
	u.ContactID = d.contact.ID
	return contacts.AddUnsubscriber(s.tx, s.i.AccountID, u)
}

// record adds the rows of the ledger and causes the events that the caller asked for.
func (s *importTx) record() error {
	o := &s.i.Options
	ledger := make([]enlist.LedgerRow, 0, len(s.all))
	var found []contacts.ContactEvent
	for _, d := range s.stored {
		if d.contact == nil || d.outcome == RowSkipped || d.reason == reasonExists {
			continue
		}
		l := d.row.ledger
		l.ContactID, l.Method, l.KeyID, l.ImportID, l.ImportRow = d.contact.ID, "import", s.caller.Key.ID, s.i.ID, d.row.number
		if l.Time == 0 {
			l.Time = s.now
		}
		ledger = append(ledger, l)
		if s.stated[d.contact] == d.row {
			l.Method, l.Type, l.Time = contacts.MethodStatement, "", s.now
			ledger = append(ledger, l)
		}
		if err := s.askToConfirm(d.contact); err != nil {
			return err
		}
		if d.event != "" {
			found = append(found, contacts.ContactEvent{Contact: d.contact.ID, Event: d.event})
		}
		if d.event != enlist.WebhookCreated {
			continue
		}
		var err error
		if o.Notifications {
			err = events.EnqueueNotifications(s.tx, s.schema, d.contact.ID, enlist.EventSubscribe, s.now)
		}
		if o.Autoresponders {
			err = errors.Join(err, events.EnqueueAutoresponders(s.tx, s.schema, d.contact.ID, enlist.EventAPIUpload,
				s.now))
		}
		if err != nil {
			return err
		}
	}
	if err := contacts.AddImportedRows(s.tx, ledger); err != nil {
		return err
	}
	if err := s.decideTracking(); err != nil || !o.Webhooks {
		return err
	}
	return s.i.Published.Publish(s.tx, s.schema, s.now, found)
}

// askToConfirm sends the request to confirm, if the caller asked for it and the Contact gets mail only after it.
func (s *importTx) askToConfirm(c *enlist.Contact) error {
	if s.i.Options.Confirm != ConfirmAsk || !s.schema.List.DoubleOptIn || c.DoubleOptIn || c.IsUnsubscribed || !c.IsActive {
		return nil
	}
	return contacts.AskToConfirm(s.tx, c, s.now)
}

// rowsOfStep returns the largest number of rows of a step. A step has fewer rows if each of them has many values or
// causes mails.
func rowsOfStep(i *Import, schema *enlist.Schema) int {
	size := contacts.StepSize{Most: importStep}
	if i.Options.Autoresponders {
		size = contacts.NewStepSize(schema, enlist.EventAPIUpload)
	}
	if i.Options.Notifications {
		size.Most = min(size.Most, contacts.NewStepSize(schema, enlist.EventSubscribe).Most)
	}
	if i.Options.Confirm == ConfirmAsk {
		size.Most = min(size.Most, contacts.MaxUnsubscribe/2) // each has a job
	}
	return max(1, min(size.Most, contacts.BulkValues/max(1, len(i.Columns))))
}

// dayOf returns the date of the Account at a Unix time.
func dayOf(schema *enlist.Schema, now int64) string {
	return enlist.Today(time.Unix(now, 0), schema.TimeZone)
}

// addressSet is a set of addresses that needs about 20 bytes for each of them. It stores only their hashes: of ten
// million addresses, two have the same hash with a probability of 3 in a million.
type addressSet struct {
	seed   maphash.Seed
	hashes map[uint64]struct{}
}

func newAddressSet() *addressSet {
	return &addressSet{seed: maphash.MakeSeed(), hashes: make(map[uint64]struct{})}
}

func (s *addressSet) has(key string) bool {
	_, found := s.hashes[maphash.String(s.seed, key)]
	return found
}

func (s *addressSet) add(key string) { s.hashes[maphash.String(s.seed, key)] = struct{}{} }
