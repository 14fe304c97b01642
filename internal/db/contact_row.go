package db

import (
	"fmt"
	"strconv"

	"enlist/internal/enlist"

	"github.com/go-json-experiment/json/jsontext"
)

// NewContactIDs takes n IDs from the sequence of Contacts.
func (t *Tx) NewContactIDs(n int) ([]enlist.ContactID, error) {
	const take = "SELECT nextval('contact_id') FROM generate_series(1, CAST(? AS BIGINT))"
	ids, err := IDsOf[enlist.ContactID](t, take, int64(n))
	if err == nil && len(ids) != n {
		return nil, fmt.Errorf("the database returned %d IDs for %d Contacts", len(ids), n)
	}
	return ids, err
}

// HasInitialState reports whether all state columns of a Contact have their initial values.
func HasInitialState(c *enlist.Contact) bool {
	return c.IsActive && !c.DoubleOptIn && !c.IsBounceDeactivated && !c.IsUnsubscribed && len(c.Prefs) == 0 &&
		c.Language == "" && c.DoubleOptInTime|c.LastClickTime|c.LastMessageTime|c.LastOpenTime|c.WebformID == 0
}

// EncodeValues returns Field values as JSON for the column field_values: an object whose names are the
// IDs of the Fields.
func EncodeValues(schema *enlist.Schema, values enlist.Values) (doc string, err error) {
	b := make([]byte, 0, 512)
	b = append(b, '{')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = strconv.AppendInt(b, int64(v.Field), 10)
		b = append(b, '"', ':')
		if f := schema.Field(v.Field); f != nil && f.Numeric() {
			// Perhaps the type of the Field was text before. Then its values can be texts such as
			// 007 or +5, which are not numbers in JSON.
			if number, ok := enlist.ParseDecimal(v.Text); ok {
				b = append(b, number...)
				continue
			}
		}
		b, err = jsontext.AppendQuote(b, v.Text)
		if err != nil {
			return "", err
		}
	}
	return string(append(b, '}')), nil
}
