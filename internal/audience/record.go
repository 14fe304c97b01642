package audience

// Attribute describes one key of a kind of record: how it is named in criteria
// and replies, how it compares, and how it is read and set. A table of them,
// in the order of the record, is all that search, replies and edits know of it.
type Attribute[T any] struct {
	Name       string
	Type       KeyType
	Searchable bool
	Get        func(*T) Cell
	Set        func(*T, Input) error // nil: callers cannot set it
}

// Cell is a value of a record: an integer or time, a flag, or text.
type Cell struct {
	Kind KeyType // KeyInt, KeyBool or KeyText
	Int  int64   // of KeyInt; 0 or 1 of KeyBool
	Text string  // of KeyText
}

// IntCell holds a number, an ID or a time.
func IntCell[N ~int64](n N) Cell { return Cell{Kind: KeyInt, Int: int64(n)} }

// TextCell holds text.
func TextCell[S ~string](s S) Cell { return Cell{Kind: KeyText, Text: string(s)} }

// BoolCell holds a flag.
func BoolCell(b bool) Cell {
	if b {
		return Cell{Kind: KeyBool, Int: 1}
	}
	return Cell{Kind: KeyBool}
}
