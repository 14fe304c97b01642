package forms

import (
	"context"
	"errors"
	"slices"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file has what a visitor without a key sees of a Form.

// ErrNone is the error for a Form that does not exist, or whose List is gone.
var ErrNone = errors.New("there is no such Form")

// Public is a Form with its inputs.
type Public struct {
	Form
	Schema      *enlist.Schema
	Inputs      []Input
	Preferences []enlist.Preference // with a tick for each

	AllLanguages []string          // those of Form.Languages, before Public.In
	labels       map[string]string // by the names of inputs, in place of the names of Fields and preferences
}

// Input is a Field that the Form asks for.
type Input struct {
	*enlist.Field
	Required bool
}

// Show returns a Form for a visitor. A closed Form is returned too. Errors: ErrNone.
func (s *Service) Show(ctx context.Context, id enlist.FormID) (*Public, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*Public, error) { return load(tx, id) })
}

// CountView counts that a visitor sees a Form. Each call writes to the database, so the caller limits how often.
func (s *Service) CountView(ctx context.Context, p *Public) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		return count(tx, p.Schema, p.ID, s.db.Now().Unix(), Day{Shown: 1})
	})
}

// load returns a Form with its inputs. A Field or a preference that was deleted has no input.
func load(tx *db.Tx, id enlist.FormID) (*Public, error) {
	form, err := formTable.One(tx, ErrNone, "WHERE id = ?", int64(id))
	if err != nil {
		return nil, err
	}
	p := &Public{Form: *form, AllLanguages: form.Languages()}
	p.Schema, err = lists.Schema(tx, form.ListID)
	if enlist.KindOf(err) == enlist.NoList {
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	p.Inputs, p.Preferences = Inputs(form, p.Schema), Preferences(form, p.Schema)
	return p, nil
}

// Inputs returns the inputs of a Form in their order.
func Inputs(f *Form, schema *enlist.Schema) (all []Input) {
	shown, required := ids[enlist.FieldID](f.FieldIDs), ids[enlist.FieldID](f.RequiredIDs)
	if email := schema.Email().ID; !slices.Contains(shown, email) {
		shown = slices.Insert(shown, 0, email)
	}
	for _, id := range shown {
		field := schema.Field(id)
		if field == nil || field.Type == enlist.File {
			continue
		}
		all = append(all, Input{field, slices.Contains(required, id) || id == schema.Email().ID})
	}
	return all
}

// Preferences returns the preferences of a Form in their order.
func Preferences(f *Form, schema *enlist.Schema) (all []enlist.Preference) {
	for _, id := range ids[enlist.PreferenceID](f.PreferenceIDs) {
		if p := schema.PreferenceByID(id); p != nil {
			all = append(all, *p)
		}
	}
	return all
}

// caller returns a Caller that may access every List of an Account.
func caller(tx *db.Tx, id enlist.AccountID) (*enlist.Caller, error) {
	account, err := accounts.ByID(tx, id)
	return &enlist.Caller{Account: account, Key: new(enlist.Key)}, err
}

// Day is what people did with a Form on a day.
type Day struct {
	Day                    time.Time // the date, as midnight in UTC
	Shown, Sent, Confirmed int64
}

// DayAttributes are the keys of the record of a day, in the order of a reply.
var DayAttributes = []enlist.Attribute[Day]{
	enlist.ReadOnlyText("day", func(d *Day) string { return d.Day.Format(time.DateOnly) }),
	enlist.ReadOnlyInt("shown", func(d *Day) int64 { return d.Shown }),
	enlist.ReadOnlyInt("sent", func(d *Day) int64 { return d.Sent }),
	enlist.ReadOnlyInt("confirmed", func(d *Day) int64 { return d.Confirmed }),
}

// FormDays returns the days of a Form from one date to another, in their order, also those on which nothing happened.
// The dates are as those of lists.Service.ListDays. Errors: as of DeleteForm, and InvalidParameters for the dates.
// reference.md: getFormDays.range
func (s *Service) FormDays(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.FormID,
	from, to string) ([]Day, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Day, error) {
		schema, err := lists.Load(tx, c, list)
		if err != nil {
			return nil, err
		}
		if _, err := inList(tx, list, id); err != nil {
			return nil, err
		}
		first, last, err := lists.RangeOfDays(enlist.Today(s.db.Now(), schema.TimeZone), from, to)
		if err != nil {
			return nil, err
		}
		return days(tx, id, first, last)
	})
}

// Sent counts that a person has sent a Form.
func Sent(tx *db.Tx, schema *enlist.Schema, id enlist.FormID, now int64) error {
	return count(tx, schema, id, now, Day{Sent: 1})
}

// Confirmed counts that a person has confirmed a subscription with a Form.
func Confirmed(tx *db.Tx, schema *enlist.Schema, id enlist.FormID, now int64) error {
	return count(tx, schema, id, now, Day{Confirmed: 1})
}
