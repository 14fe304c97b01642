package imports

import (
	"fmt"
	"slices"
	"strings"

	"enlist/internal/address"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file decides what each column of a file is stored as.

// ImportColumn is a column of a file with its meaning.
type ImportColumn struct {
	Name   string         `json:"name"`
	Target string         `json:"target"`              // name of a Field, or one of importKeys; "": the column is left out
	Field  enlist.FieldID `json:"field_id,omitempty"`  // 0: no Field, or a Field that a dry run does not add
	New    *NewField      `json:"new_field,omitempty"` // the Field that the Import adds for the column
	Format *ColumnFormat  `json:"format,omitempty"`    // nil: values need none, or the options say it
}

// NewField is a Field that an Import adds. Its name is the Target of the column.
type NewField struct {
	Type       enlist.FieldType `json:"type"`
	Values     string           `json:"values,omitempty"` // the choice of a checkbox
	TimeFormat string           `json:"time_format,omitempty"`
}

// The columns that are no Fields. The system keys have the names that a Contact has.
const (
	keyCreated      = "creation_time"
	keyConfirmed    = "double_opt_in_time"
	keyActive       = "is_active"
	keyBounced      = "is_bounce_deactivated"
	keyUnsubscribed = "is_unsubscribed"

	keyConsentType        = "consent_type"
	keyConsentText        = "consent_text"
	keyConsentTime        = "consent_time"
	keyConsentIP          = "consent_ip"
	keyConsentPreferences = "consent_preferences"
	keyUnsubscribedTime   = "unsubscribed_time"

	keyTracking     = enlist.KeyTrackingConsent
	keyTrackingText = enlist.KeyTrackingText
	keyTextVersion  = enlist.KeyTrackingTextVersion
	keyLanguage     = enlist.KeyLanguage
)

// importKeys are the columns that are no Fields, by their names in lower case. reference.md: import.keys
var importKeys = map[string]string{
	keyCreated: keyCreated, keyConfirmed: keyConfirmed, "confirmed_time": keyConfirmed, keyActive: keyActive,
	keyBounced: keyBounced, keyUnsubscribed: keyUnsubscribed, keyConsentType: keyConsentType,
	keyConsentText: keyConsentText, keyConsentTime: keyConsentTime, keyConsentIP: keyConsentIP,
	"ip_address": keyConsentIP, keyConsentPreferences: keyConsentPreferences, keyUnsubscribedTime: keyUnsubscribedTime,
	keyTracking: keyTracking, keyTrackingText: keyTrackingText, keyTextVersion: keyTextVersion, keyLanguage: keyLanguage,
}

// columnPlan finds the meaning of the columns of a file.
type columnPlan struct {
	schema  *enlist.Schema
	options *ImportOptions
	names   []string
	mapped  map[string]string // the Target of --map, by name of the column
	// addresses is the name of the only column whose values are addresses; "": no column, or several.
	addresses string
	languages string // the same, of the column with a heading of languageHeadings whose values are languages
}

// planColumns returns the meaning of each column, and also columns without a meaning after an error about them. A column
// that options.Map does not name means the Field or the key with its name, whatever the letter case. first are the first
// rows. Errors: InvalidParameters. reference.md: import.columns
func planColumns(schema *enlist.Schema, names []string, first [][]any, o *ImportOptions) ([]ImportColumn, error) {
	p := columnPlan{schema: schema, options: o, names: names, mapped: make(map[string]string),
		addresses: columnOfAddresses(names, first), languages: columnOfLanguages(names, first)}
	for _, m := range o.Map {
		name, err := p.column("map", m.Column)
		if err != nil {
			return nil, err
		}
		p.mapped[name] = m.Target
	}
	for option, of := range map[string][]ImportMapping{"date": o.Dates, "decimal": o.Decimals} {
		for _, m := range of {
			if _, err := p.column(option, m.Column); err != nil {
				return nil, err
			}
		}
	}
	columns := make([]ImportColumn, len(names))
	for i, name := range names {
		c, err := p.meaning(name)
		if err != nil {
			return named(names), err
		}
		columns[i] = c
	}
	return columns, p.check(columns)
}

// named returns columns without a meaning.
func named(names []string) []ImportColumn {
	columns := make([]ImportColumn, len(names))
	for i := range names {
		columns[i].Name = names[i]
	}
	return columns
}

// column returns the name of the file's column that an option means.
func (p *columnPlan) column(option, name string) (string, error) {
	if slices.Contains(p.names, name) {
		return name, nil
	}
	wanted, found := strings.ToLower(strings.TrimSpace(name)), ""
	for _, n := range p.names {
		if strings.ToLower(n) == wanted {
			if found != "" {
				return "", enlist.Invalid(option, fmt.Sprintf("the columns %q and %q are both named %q: write the exact name",
					found, n, name))
			}
			found = n
		}
	}
	if found == "" {
		return "", enlist.Invalid(option, fmt.Sprintf("the file has no column %s; its columns are: %s",
			enlist.Quoted(name),
			shortList(p.names)))
	}
	return found, nil
}

// shortList returns the first names of a list.
func shortList(names []string) string {
	const most = 30
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "...")
	}
	return strings.Join(names, ", ")
}

// meaning returns the meaning of a column.
func (p *columnPlan) meaning(name string) (ImportColumn, error) {
	c := ImportColumn{Name: name}
	if isReasonColumn(name) {
		return c, nil
	}
	target, mapped := p.mapped[name]
	if !mapped {
		target = name
	}
	if strings.TrimSpace(target) == "" {
		return c, nil
	}
	f := p.field(target, mapped)
	switch key := importKeys[strings.ToLower(strings.TrimSpace(target))]; {
	case f != nil:
		c.Target, c.Field = f.Name, f.ID
	case key != "":
		c.Target = key
	case isTrackingHeading(target):
		c.Target = keyTracking
	case name == p.languages && !mapped:
		c.Target = keyLanguage
	case p.options.AddFields && !lists.Reserved(target) && target != enlist.KeyTrackingTime: // an export has it
		c.Target, c.New = strings.TrimSpace(target), new(NewField)
	case mapped:
		return c, enlist.Invalid("map", fmt.Sprintf("the List has no Field %s for the column %s: add it, or import with add_fields",
			enlist.Quoted(target), enlist.Quoted(name)))
	}
	return c, nil
}

// field returns the Field that a name means, or nil. A name that is only similar to "email" means the email Field,
// unless the caller has mapped it or another column. The same holds for parts of a name.
func (p *columnPlan) field(name string, mapped bool) *enlist.Field {
	trimmed := strings.TrimSpace(name)
	if f, _ := contacts.FieldOfKey(p.schema, trimmed); f != nil {
		return f
	}
	var found *enlist.Field
	for i := range p.schema.Fields {
		f := &p.schema.Fields[i]
		if strings.EqualFold(strings.TrimSpace(f.Name), trimmed) {
			if found != nil {
				return nil // two Fields differ only by letter case
			}
			found = f
		}
	}
	switch {
	case found != nil || mapped:
		return found
	case !p.hasEmail() && (isEmailHeading(trimmed) || name == p.addresses && !slices.ContainsFunc(p.names, isEmailHeading)):
		return p.schema.Email()
	}
	return p.fieldOfName(trimmed)
}

// columnOfAddresses returns the name of the only column of which at least half of the values are addresses, or "".
func columnOfAddresses(names []string, first [][]any) (found string) {
	for n, name := range names {
		values, addresses := 0, 0
		for _, row := range first {
			if n >= len(row) || textOf(row[n]) == "" {
				continue
			}
			values++
			if _, _, ok := address.ParseEmail(address.Bare(textOf(row[n]))); ok {
				addresses++
			}
		}
		if addresses == 0 || 2*addresses < values {
			continue
		}
		if found != "" {
			return ""
		}
		found = name
	}
	return found
}

// hasEmail reports whether a column has the name of the email Field, or is mapped to it.
func (p *columnPlan) hasEmail() bool {
	is := func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), p.schema.Email().Name) }
	for _, name := range p.names {
		if target, mapped := p.mapped[name]; mapped && is(target) || !mapped && is(name) {
			return true
		}
	}
	return false
}

// check refuses two columns with the same meaning, and a file without addresses. A column that only has the right name
// is left out if another column is mapped to its Field.
func (p *columnPlan) check(columns []ImportColumn) error {
	first := make(map[string]*ImportColumn)
	hasAddress := false
	for i := range columns {
		c := &columns[i]
		if c.Target == "" {
			continue
		}
		f := p.schema.Field(c.Field)
		hasAddress = hasAddress || f != nil && f.AddressType != enlist.AddressNone
		other := first[c.Target]
		if other == nil {
			first[c.Target] = c
			continue
		}
		_, otherMapped := p.mapped[other.Name]
		_, mapped := p.mapped[c.Name]
		switch {
		case otherMapped && !mapped:
			c.Target, c.Field, c.New = "", 0, nil
		case mapped && !otherMapped:
			other.Target, other.Field, other.New = "", 0, nil
			first[c.Target] = c
		default:
			return enlist.Invalid("map", fmt.Sprintf("the columns %s and %s are both for %s: leave one of them out",
				enlist.Quoted(other.Name), enlist.Quoted(c.Name), enlist.Quoted(c.Target)))
		}
	}
	if !hasAddress {
		return enlist.Invalid("map", fmt.Sprintf("no column is for the Field %s: map one to it; the columns are: %s",
			enlist.Quoted(p.schema.Email().Name), shortList(p.names)))
	}
	return nil
}

// hasConsent reports whether a column has the type of each row's consent.
func hasConsent(columns []ImportColumn) bool {
	return slices.ContainsFunc(columns, func(c ImportColumn) bool { return c.Target == keyConsentType })
}

// boundColumn is a column with what is needed to read its cells.
type boundColumn struct {
	key   string        // one of importKeys; "": a Field, or left out
	field *enlist.Field // nil: a key, or left out
	date  *datePattern
	// decimal is what stands before the decimals of numbers; "": a point, and thousands have no sign.
	decimal string
	status  statusKind
}

// name returns the name of the Field or of the key, or "" for a column that is left out.
func (b *boundColumn) name() string {
	if b.field != nil {
		return b.field.Name
	}
	return b.key
}

// bindColumns returns the columns for reading. A column whose Field was deleted is left out.
func bindColumns(i *Import, schema *enlist.Schema) []boundColumn {
	bound := make([]boundColumn, len(i.Columns))
	for n := range i.Columns {
		c := &i.Columns[n]
		b := &bound[n]
		b.status = statusOfColumn(c.Name)
		switch {
		case c.Field != 0:
			b.field = schema.Field(c.Field)
		case c.New != nil:
			b.field = &enlist.Field{ID: -enlist.FieldID(n + 1), Name: c.Target, Type: c.New.Type, Values: c.New.Values,
				TimeFormat: c.New.TimeFormat}
		default:
			b.key = c.Target
		}
		if b.field != nil && i.Options.As != AsContacts && b.field.AddressType == enlist.AddressNone {
			b.field = nil
		}
		b.bindFormat(c, &i.Options)
	}
	return bound
}

// bindFormat sets how the values of the column are written: as the caller says, or else as the values show.
func (b *boundColumn) bindFormat(c *ImportColumn, o *ImportOptions) {
	if c.Format != nil {
		b.decimal = c.Format.Decimal
		if c.Format.Date != "" {
			b.date, _ = parseDatePattern(c.Format.Date) // one of knownDates
		}
	}
	if o.DecimalComma {
		b.decimal = DecimalComma
	}
	for _, m := range o.Decimals {
		if strings.EqualFold(strings.TrimSpace(m.Column), c.Name) {
			b.decimal = m.Target
		}
	}
	for _, m := range o.Dates {
		if strings.EqualFold(strings.TrimSpace(m.Column), c.Name) {
			b.date, _ = parseDatePattern(m.Target) // ImportOptions.check has checked it
		}
	}
}

// isTime reports whether the column has times that are no Field.
func (b *boundColumn) isTime() bool {
	return slices.Contains([]string{keyCreated, keyConfirmed, keyUnsubscribedTime, keyConsentTime}, b.key)
}
