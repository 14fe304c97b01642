package audience

// Contact is one record of a List.
type Contact struct {
	ID       ContactID
	ListID   ListID
	Values   Values
	Key      string // comparison form of the address: see Schema.AddressKey; holds an "@" exactly when it is an email
	Mobile   string // comparison form of the mobile number, "" when there is none
	IsFirst  bool   // first of its List with this Key; only it holds the Key against others
	Prefs    map[PreferenceID]bool
	Created  int64
	Modified int64

	DoubleOptIn         bool
	DoubleOptInTime     int64
	IsActive            bool
	IsBounceDeactivated bool
	IsUnsubscribed      bool
	LastClickTime       int64
	LastMessageTime     int64
	LastOpenTime        int64
	SubscribedVia       string // one of the values of subscribed_via in the specification
	WebformID           int64
}

// FieldValue is what a Contact has in one Field. Text is never empty: an empty
// value is an absent one. Numbers are plain decimals ("12.50"), dates ISO
// ("2026-01-31", or "2026-01-31 17:05:00" in a Field with a time).
type FieldValue struct {
	Field FieldID
	Text  string
}

// Values are a Contact's Field values in order of Field ID.
type Values []FieldValue

// Get returns the value in a Field, "" when it is absent.
func (v Values) Get(id FieldID) string {
	for i := range v {
		if v[i].Field == id {
			return v[i].Text
		}
	}
	return ""
}

// Set puts a value into its place; an empty text removes it.
func (v Values) Set(id FieldID, text string) Values {
	for i := range v {
		switch {
		case v[i].Field == id && text == "":
			return append(v[:i], v[i+1:]...)
		case v[i].Field == id:
			v[i].Text = text
			return v
		case v[i].Field > id && text == "":
			return v
		case v[i].Field > id:
			v = append(v, FieldValue{})
			copy(v[i+1:], v[i:])
			v[i] = FieldValue{id, text}
			return v
		}
	}
	if text == "" {
		return v
	}
	return append(v, FieldValue{id, text})
}
