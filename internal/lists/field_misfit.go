package lists

import (
	"context"
	"unicode/utf8"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file counts, before an edit of a Field, the Contacts whose values would not fit.

// Misfits is how many Contacts hold a value that a Field would refuse after an edit.
type Misfits struct {
	Count int64
	// Refused says that EditField refuses the edit while there are any. A shorter length is not refused: the values
	// stay until a caller changes them.
	Refused bool
}

// FieldMisfits returns the Misfits of an edit that changes the type or the length of a Field, without making it.
// Errors: NoList, Denied, NoField, InvalidParameters, and Busy if the List is so large that counting takes too long.
func (s *Service) FieldMisfits(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.FieldID,
	details []enlist.Detail) (m Misfits, err error) {
	err = s.db.Search(c.Context(ctx), s.db.Confirmed(c, func(tx *db.Tx) error {
		schema, old, err := loadField(tx, c, list, id)
		if err != nil {
			return err
		}
		f := *old
		if err := enlist.Assign(&f, FieldAttributes, Applicable(&f, details)); err != nil {
			return err
		}
		clearUnused(&f)
		if holders, _ := refusedValues(&f, schema, old, enlist.Today(s.db.Now(), c.Account.TimeZone)); holders != nil {
			m.Refused = true
			m.Count, err = holders.count(tx, 0)
			return err
		}
		if longer := longerValues(&f, schema, old); longer != nil {
			m.Count, err = longer.count(tx, 0)
		}
		return err
	}))
	return m, err
}

// longerValues returns the holders of values over the length of a Field, or nil if the length does not become shorter.
func longerValues(f *enlist.Field, schema *enlist.Schema, old *enlist.Field) *holders {
	if f.Type != enlist.Text || f.Length == 0 || f.Type == old.Type && old.Length > 0 && f.Length >= old.Length {
		return nil
	}
	return &holders{schema, HoldersOf(old), []enlist.FieldID{f.ID}, func(c *enlist.Contact) bool {
		return utf8.RuneCountInString(c.Values.Get(f.ID)) > int(f.Length)
	}}
}

// refusedValues returns the holders of values because of which EditField refuses a new definition, and what they hold.
// It returns nil if no value can be refused.
func refusedValues(f *enlist.Field, schema *enlist.Schema, old *enlist.Field, today string) (refused *holders,
	what string) {
	sameNumber := f.Numeric() && old.Numeric()
	anyText := f.Type == enlist.Comment || f.Type == enlist.File || f.Type == enlist.Text && f.Length == 0
	switch {
	case f.AddressType != old.AddressType:
		// The Keys of Contacts would have to change, so no Contact may have a value.
		return &holders{schema: schema, where: HoldersOf(old)}, "hold a value in the Field"
	case f.Type == old.Type || sameNumber || anyText:
		return nil, ""
	}
	return &holders{schema, HoldersOf(old), []enlist.FieldID{f.ID}, func(c *enlist.Contact) bool {
		_, err := f.ReadStrictly(enlist.TextInput(c.Values.Get(f.ID)), today)
		return err != nil
	}}, "hold a value that the new type refuses"
}
