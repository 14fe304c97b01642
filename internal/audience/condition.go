// This file holds a search after its criteria were checked against a List or a
// kind of record. A Condition needs no further checks: the store compiles it
// to SQL, and condition_match.go evaluates it in memory.

package audience

// KeyType is how values of a key are compared.
type KeyType uint8

// The key types. decisions.md: 36
const (
	KeyText   KeyType = iota + 1 // ignores ASCII case; ordered by the first MaxComparedCharacters code points
	KeyInt                       // numbers and Unix times in seconds
	KeyBool                      // only Exactly, Not and In
	KeyNumber                    // decimal and currency Fields
	KeyDate                      // ISO order; a date without a time compares with the date part
	KeyEmail                     // text, but Exactly, Not and In compare the normalised address
	KeyMobile                    // likewise
)

// SearchKey is a key that a Condition or a sort names: a system key or, for
// Contacts, a Field.
type SearchKey struct {
	Name       string // the system key's name; "" when Field is set
	Field      *Field // nil for a system key
	Type       KeyType
	Searchable bool // criteria may name it; sorting may name any key

	index int // of a system key's Attribute in its table
}

// Condition is a Criteria that has been checked: every key exists and is
// searchable, and every operand has the type of its key.
type Condition struct {
	All []Condition
	Any []Condition

	Key      *SearchKey // nil in a group
	Operator Operator
	Operands []Operand // one; for In any number
}

// Operand is a value to compare with. Text is always set, in the form in which
// it is compared:
//   - for text: in ASCII lower case
//   - for addresses under Exactly, Not and In: normalised
//   - for numbers: the stored form that ParseDecimal returns
//   - for dates: "YYYY-MM-DD", or with " HH:MM:SS"
//   - under StartsWith, EndsWith and Contains: the text to look for
type Operand struct {
	Text       string
	Int        int64   // of KeyInt, and 0 or 1 of KeyBool, when not Absent
	Number     float64 // of KeyNumber, exact to 15 digits, when not Absent
	Absent     bool    // "" under Exactly, Not and In: matches a record without the value
	Impossible bool    // equals no stored value, such as 2.5 for an ID
}

// Search is a checked query of a List's Contacts, for the store.
type Search struct {
	Schema     *Schema
	Where      *Condition // nil: every Contact
	Sort       *SearchKey // nil: by ID
	Descending bool
	Limit      int64 // 0: no limit
	Offset     int64
	Columns    Columns // what the caller reads
	Counted    bool    // the caller wants only the number of Contacts
	Last       bool    // the transaction makes no later call, so the store may end it with the answer
}

// Columns says which parts of a Contact a search has to read.
type Columns struct {
	System bool      // any system key but the ID
	All    bool      // every Field
	Fields []FieldID // these Fields, when not All
}
