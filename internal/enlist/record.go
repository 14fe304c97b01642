package enlist

// This file defines the description of a record's keys. Each kind of record, such as List,
// Field or Folder, has a table of Attributes. The table for Contacts contains only the system keys.

// Attribute describes one key of a kind of record: its name in criteria and replies, how it is
// compared, and how it is read and set. Searches, replies and edits use only the table. Its
// order is the order of keys in a reply.
type Attribute[T any] struct {
	Name       string
	Type       KeyType
	Searchable bool // criteria may test this key
	Computed   bool // the database has no expression for this key
	Get        func(*T) Value
	Set        func(*T, Input) error // takes an unboxed Input; nil: callers cannot set this key
}

// Value is a value of a record: an integer or time, a flag, or text.
type Value struct {
	Kind KeyType // KeyInt, KeyBool or KeyText
	Int  int64   // for KeyInt; 0 or 1 for KeyBool
	Text string  // for KeyText
}

// IntValue returns the Value of a number, an ID or a time.
func IntValue[N ~int64](n N) Value { return Value{Kind: KeyInt, Int: int64(n)} }

// TextValue returns the Value of a text.
func TextValue[S ~string](s S) Value { return Value{Kind: KeyText, Text: string(s)} }

// BoolValue returns the Value of a flag.
func BoolValue(b bool) Value {
	if b {
		return Value{Kind: KeyBool, Int: 1}
	}
	return Value{Kind: KeyBool}
}
