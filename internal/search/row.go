package search

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file reads the rows of a search into Contacts. If a search needs few Fields, its statement has one
// column for the value of each Field. Otherwise it has one column for the document with all values.

// columns writes the list of the columns of a Contact that a search reads.
func (q *Query) columns(c enlist.Columns) {
	q.Add("id")
	if c.System {
		q.Add(", " + contactStateTable.Columns)
	}
	if c.Later {
		q.Add(", " + laterTable.Columns)
	}
	if !singly(q.SQL, c) {
		q.Add(", " + q.SQL.Document)
		return
	}
	for _, id := range c.Fields {
		q.Add(", "+q.SQL.ValueDocument, strconv.FormatInt(int64(id), 10))
	}
}

// singly reports whether the statement reads each Field value in a separate column, and not all
// values in one document.
func singly(d *db.Dialect, c enlist.Columns) bool { return !c.All && len(c.Fields) <= d.FewValues }

// columnReader reads the rows of a search into one Contact. Each row overwrites the previous one.
type columnReader struct {
	tx      *db.Tx
	of      enlist.Columns
	state   db.Mapper
	contact enlist.Contact
}

// read reads the current row into r.contact.
func (r *columnReader) read(row *db.Cursor) error {
	c := &r.contact
	c.ID = enlist.ContactID(row.Int())
	if r.of.System {
		r.state.Cursor = row
		MapContactState(&r.state, c)
	}
	if r.of.Later {
		r.state.Cursor = row
		mapLater(&r.state, c)
	}
	if !singly(r.tx.SQL, r.of) {
		return ReadValues(r.tx, row.Text(), c)
	}
	c.Values = c.Values[:0]
	for _, id := range r.of.Fields {
		document := row.Value()
		if document == nil {
			continue
		}
		value, err := r.tx.SQL.ReadValue(db.TextOf(document))
		if err != nil {
			return fmt.Errorf("contact %d: %w", c.ID, err)
		}
		c.Values = append(c.Values, enlist.FieldValue{Field: id, Text: value})
	}
	return nil
}

// ReadValues reads the document of field_values into c.Values, in the order of the Field IDs.
func ReadValues(tx *db.Tx, document string, c *enlist.Contact) (err error) {
	if c.Values, err = tx.SQL.ReadValues(document, c.Values[:0]); err != nil {
		return fmt.Errorf("contact %d: %w", c.ID, err)
	}
	for i := 1; i < len(c.Values); i++ {
		if c.Values[i].Field < c.Values[i-1].Field {
			slices.SortFunc(c.Values, func(a, b enlist.FieldValue) int { return cmp.Compare(a.Field, b.Field) })
			break
		}
	}
	return nil
}

// contactStateTable has the columns that a search for system values reads.
var contactStateTable = db.NewMapping("contact", MapContactState)

// MapContactState describes the columns that the API calls system values.
func MapContactState(m *db.Mapper, c *enlist.Contact) {
	m.Fixed("creation_time", &c.Created)
	m.Value("last_modified_time", &c.Modified)
	m.State("double_opt_in", "0", &c.DoubleOptIn)
	m.State("double_opt_in_time", "0", &c.DoubleOptInTime)
	m.State("is_active", "1", &c.IsActive)
	m.State("is_bounce_deactivated", "0", &c.IsBounceDeactivated)
	m.State("is_unsubscribed", "0", &c.IsUnsubscribed)
	m.State("last_click_time", "0", &c.LastClickTime)
	m.State("last_message_time", "0", &c.LastMessageTime)
	m.State("last_open_time", "0", &c.LastOpenTime)
	m.Fixed("subscribed_via", &c.SubscribedVia)
	m.Fixed("webform_id", &c.WebformID)
}

// laterTable has the columns that a search for the later keys of a Contact reads besides.
var laterTable = db.NewMapping("contact", mapLater)

func mapLater(m *db.Mapper, c *enlist.Contact) {
	MapTracking(m, c)
	m.Computed("language", &c.Language)
}

// MapTracking describes the columns with the decision. Package contacts stores both with one statement.
func MapTracking(m *db.Mapper, c *enlist.Contact) {
	m.Computed("tracking_consent", (*int64)(&c.TrackingConsent))
	m.Computed("tracking_time", &c.TrackingTime)
}
