package audience

// Attribute describes one key of a kind of record: how it is named in criteria
// and replies, how it compares, and how it is read and set. A table of them,
// in the order of the record, is all that search, replies and edits know of it.
type Attribute[T any] struct {
	Name       string
	Type       KeyType
	Searchable bool
	Get        func(*T) Value
	Set        func(*T, Input) error // nil: callers cannot set it
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
