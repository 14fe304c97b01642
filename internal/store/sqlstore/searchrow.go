package sqlstore

import (
	"cmp"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"enlist/internal/audience"
)

// Columns of a Contact, in groups that a search can do without. Each column of
// a row costs an allocation in the drivers, so a search reads the ID and then
// only the groups that its caller looks at.
const (
	systemColumns = "creation_time, last_modified_time, double_opt_in, double_opt_in_time, is_active, " +
		"is_bounce_deactivated, is_unsubscribed, last_click_time, last_message_time, last_open_time, subscribed_via, webform_id"
	hiddenColumns = "dedupe_key, duplicate_key, mobile_key, preference_values"

	systemWidth        = 12
	contactColumnCount = 1 + systemWidth + 1 + 4
)

// decodeContact reads a row of contactColumns into a Contact whose ListID is
// set. c.Values' storage is used again.
func (t *Tx) decodeContact(row []driver.Value, c *audience.Contact) (err error) {
	c.ID = audience.ContactID(integer(row[0]))
	decodeSystem(row[1:], c)
	if err := t.readValues(row[1+systemWidth], c); err != nil {
		return err
	}
	keys := row[2+systemWidth:]
	c.IsFirst = keys[0] != nil
	if c.Key = text(keys[0]); !c.IsFirst {
		c.Key = text(keys[1])
	}
	c.Mobile = text(keys[2])
	c.Prefs = nil
	if prefs := text(keys[3]); prefs != "" {
		err = json.Unmarshal([]byte(prefs), &c.Prefs)
	}
	return err
}

// columns writes the columns of a Contact that a search reads.
func (q *searchQuery) columns(c audience.Columns) {
	q.add("id")
	if c.System {
		q.add(", " + systemColumns)
	}
	if !q.sql.singly(c) {
		q.add(", " + q.sql.Document)
		return
	}
	for _, id := range c.Fields {
		q.add(", "+q.sql.ValueDocument, strconv.FormatInt(int64(id), 10))
	}
}

// singly reports whether values are read each in a column, and not all in one.
func (d *Dialect) singly(c audience.Columns) bool { return !c.All && len(c.Fields) <= d.FewValues }

func (d *Dialect) columnCount(c audience.Columns) int {
	n := 1
	if c.System {
		n += systemWidth
	}
	if d.singly(c) {
		return n + len(c.Fields)
	}
	return n + 1
}

// decodeColumns reads a row of a search's columns into a Contact.
func (t *Tx) decodeColumns(row []driver.Value, of audience.Columns, c *audience.Contact) error {
	c.ID = audience.ContactID(integer(row[0]))
	row = row[1:]
	if of.System {
		decodeSystem(row, c)
		row = row[systemWidth:]
	}
	if !t.sql.singly(of) {
		return t.readValues(row[0], c)
	}
	c.Values = c.Values[:0]
	for i, id := range of.Fields {
		if row[i] == nil {
			continue
		}
		value, err := t.sql.ReadValue(text(row[i]))
		if err != nil {
			return fmt.Errorf("contact %d: %w", c.ID, err)
		}
		c.Values = append(c.Values, audience.FieldValue{Field: id, Text: value})
	}
	return nil
}

func decodeSystem(row []driver.Value, c *audience.Contact) {
	c.Created, c.Modified = integer(row[0]), integer(row[1])
	c.DoubleOptIn, c.DoubleOptInTime = flag(row[2]), integer(row[3])
	c.IsActive, c.IsBounceDeactivated, c.IsUnsubscribed = flag(row[4]), flag(row[5]), flag(row[6])
	c.LastClickTime, c.LastMessageTime, c.LastOpenTime = integer(row[7]), integer(row[8]), integer(row[9])
	c.SubscribedVia, c.WebformID = text(row[10]), integer(row[11])
}

// readValues reads the column of field_values, in order of Field ID.
func (t *Tx) readValues(document driver.Value, c *audience.Contact) (err error) {
	if c.Values, err = t.sql.ReadValues(text(document), c.Values[:0]); err != nil {
		return fmt.Errorf("contact %d: %w", c.ID, err)
	}
	for i := 1; i < len(c.Values); i++ {
		if c.Values[i].Field < c.Values[i-1].Field {
			slices.SortFunc(c.Values, func(a, b audience.FieldValue) int { return cmp.Compare(a.Field, b.Field) })
			break
		}
	}
	return nil
}
