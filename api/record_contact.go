// This file decodes the record of a Contact. The keys of the record depend on the
// Fields of the List.

package api

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Contact is the record of a Contact. It has only the values that the caller asked
// for; the other members are zero. specification: Contact
type Contact struct {
	ID                  int64
	CreationTime        int64
	DoubleOptIn         bool
	DoubleOptInTime     int64
	IsActive            bool
	IsBounceDeactivated bool // for information only: the server checks IsActive before it sends mail
	IsUnsubscribed      bool
	LastClickTime       int64
	LastModifiedTime    int64
	LastMessageTime     int64
	LastOpenTime        int64
	SubscribedVia       string
	WebformID           int64

	// Values maps the name of a Field, as the caller wrote it, to the value of
	// the Contact. If the Contact has no value for the Field, Values has "". A
	// number has the same digits as in the reply.
	Values map[string]string
}

// UnmarshalJSON decodes a record. It distinguishes upper and lower case in names,
// because a Field may have the name "ID". encoding/json ignores the case and would store
// the value of this Field in the member ID.
func (c *Contact) UnmarshalJSON(data []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*c = Contact{Values: make(map[string]string)}
	for name, raw := range all {
		into := c.system(name)
		if into == nil {
			text, err := valueText(raw)
			if err != nil {
				return fmt.Errorf("value of %s: %w", name, err)
			}
			c.Values[name] = text
			continue
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return fmt.Errorf("value of %s: %w", name, err)
		}
	}
	return nil
}

// system returns a pointer to the member for a system key, such as "id". It returns
// nil for the name of a Field.
func (c *Contact) system(name string) any {
	switch name {
	case "id":
		return &c.ID
	case "creation_time":
		return &c.CreationTime
	case "double_opt_in":
		return &c.DoubleOptIn
	case "double_opt_in_time":
		return &c.DoubleOptInTime
	case "is_active":
		return &c.IsActive
	case "is_bounce_deactivated":
		return &c.IsBounceDeactivated
	case "is_unsubscribed":
		return &c.IsUnsubscribed
	case "last_click_time":
		return &c.LastClickTime
	case "last_modified_time":
		return &c.LastModifiedTime
	case "last_message_time":
		return &c.LastMessageTime
	case "last_open_time":
		return &c.LastOpenTime
	case "subscribed_via":
		return &c.SubscribedVia
	case "webform_id":
		return &c.WebformID
	}
	return nil
}

// valueText returns the value of a Field as text: the text of a JSON string, or a
// JSON number with its digits unchanged.
func valueText(raw json.RawMessage) (text string, err error) {
	if strings.HasPrefix(string(raw), `"`) {
		err = json.Unmarshal(raw, &text)
		return text, err
	}
	return string(raw), nil
}
