package audience

// Operator compares a key of a record with a value. specification: Search criteria; decisions.md: 32
type Operator uint8

// The operators.
const (
	Exactly Operator = iota + 1
	Not
	GreaterThan
	LessThan
	In
	StartsWith
	EndsWith
	Contains
)

// Criteria is a search as it was sent: a tree of tests whose keys and values
// have not been looked at yet. Exactly one of the parts is used: All, Any, or
// the test of Key.
type Criteria struct {
	All []Criteria // matches when each part does
	Any []Criteria // matches when at least one does

	Key      string
	Operator string // as it was sent
	Value    Input
}

// Query is what a search asks for.
type Query struct {
	Criteria   *Criteria // nil: every record
	Limit      int64     // 0: no limit
	Offset     int64
	SortBy     string // "": by ID, ascending
	Descending bool
}

// KeyType is how values of a key are compared.
type KeyType uint8

// The key types. decisions.md: 36
const (
	KeyText   KeyType = iota + 1 // without ASCII case, code point order of the first 200 characters
	KeyInt                       // numbers and Unix times
	KeyBool                      // only Exactly, Not and In
	KeyNumber                    // decimal and currency Fields
	KeyDate                      // ISO order; a date without a time compares with the date part
	KeyEmail                     // text, but Exactly, Not and In compare the comparison form
	KeyMobile                    // likewise
)

// SearchKey is a key that a Condition or a sort is about: a system key or, for
// Contacts, a Field.
type SearchKey struct {
	Name       string // the system key's name; "" when Field is set
	Field      *Field // nil for a system key
	Type       KeyType
	Searchable bool

	index int // of a system key's Attribute
}

// Condition is a Criteria that has been typed: every key exists, is searchable
// and every operand is of its type.
type Condition struct {
	All []Condition
	Any []Condition

	Key      *SearchKey // nil in a group
	Operator Operator
	Operands []Operand // one, but for In: any number
}

// Operand is a value to compare with. Text is always set, in the form in which
// it compares: ASCII-lower-cased for text, the comparison form for addresses
// under Exactly, Not and In (Impossible when it is no address), the canonical
// decimal for numbers, "YYYY-MM-DD" or with " HH:MM:SS" for dates, and the text
// to look for under StartsWith, EndsWith and Contains.
type Operand struct {
	Text       string
	Int        int64   // of KeyInt, and 0 or 1 of KeyBool, when not Absent
	Number     float64 // of KeyNumber, exact to 15 digits, when not Absent
	Absent     bool    // "" under Exactly, Not and In: the value is not there
	Impossible bool    // equals no stored value
}

// Search is a typed query of a List's Contacts.
type Search struct {
	Schema     *Schema
	Where      *Condition // nil: every Contact
	Sort       *SearchKey // nil: by ID
	Descending bool
	Limit      int64 // 0: no limit
	Offset     int64
	Columns    Columns // what the caller will look at
	Counted    bool    // only how many there are is asked for
	Last       bool    // no other call follows in the transaction, which may end with the answer
}

// Columns says which parts of a Contact a search has to read.
type Columns struct {
	System bool      // any system key but the ID
	All    bool      // every Field
	Fields []FieldID // these Fields, when not All
}
