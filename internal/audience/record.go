// This file says how a record's keys are described. Lists, Fields, Folders,
// Messages, autoresponders and webhooks each have a table of Attributes, and
// Contacts have one for their system keys.

package audience

// Attribute describes one key of a kind of record: its name in criteria and
// replies, how it is compared, and how it is read and set. Search, replies and
// edits work from the table alone; its order is the order of keys in a reply.
type Attribute[T any] struct {
	Name       string
	Type       KeyType
	Searchable bool // criteria may name it
	Get        func(*T) Value
	Set        func(*T, Input) error // takes an unboxed Input; nil: callers cannot set it
}

// Value is a value of a record: an integer or time, a flag, or text.
type Value struct {
	Kind KeyType // KeyInt, KeyBool or KeyText
	Int  int64   // of KeyInt; 0 or 1 of KeyBool
	Text string  // of KeyText
}

// IntValue holds a number, an ID or a time.
func IntValue[N ~int64](n N) Value { return Value{Kind: KeyInt, Int: int64(n)} }

// TextValue holds text.
func TextValue[S ~string](s S) Value { return Value{Kind: KeyText, Text: string(s)} }

// BoolValue holds a flag.
func BoolValue(b bool) Value {
	if b {
		return Value{Kind: KeyBool, Int: 1}
	}
	return Value{Kind: KeyBool}
}
