package api

import (
	"encoding/json"
	"fmt"
	"strings"
)

// This file decodes the record of a Contact. The keys of the record depend on the
// Fields of the List.

// UnmarshalJSON decodes a record. It distinguishes upper and lower case in names,
// because a Field may have the name "ID". encoding/json ignores the case and would store
// the value of this Field in the member ID.
func (r *Contact) UnmarshalJSON(data []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*r = Contact{Values: make(map[string]string)}
	for name, raw := range all {
		into := r.member(name)
		if into == nil {
			text, err := valueText(raw)
			if err != nil {
				return fmt.Errorf("value of %s: %w", name, err)
			}
			r.Values[name] = text
			continue
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return fmt.Errorf("value of %s: %w", name, err)
		}
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
