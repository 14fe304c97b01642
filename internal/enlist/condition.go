package enlist

// This file defines a search whose criteria were checked. A Condition needs no further checks:
// package search compiles it to SQL, or condition_match.go evaluates it in memory.

// KeyType says how the values of a key are compared.
type KeyType uint8

// The key types. reference.md: compare
const (
	KeyText       KeyType = iota + 1 // ignores ASCII case; ordered by the first MaxComparedCharacters code points
	KeyInt                           // numbers and Unix times in seconds
	KeyBool                          // allows only the operators Exactly, Not and In
	KeyNumber                        // decimal and currency Fields
	KeyDate                          // ordered as ISO text; an operand without a time is compared with the value's date
	KeyEmail                         // text, but Exactly, Not and In compare the normalised address
	KeyMobile                        // like KeyEmail
	KeyBatch                         // a Contact has the key for several Batches; allows only Exactly, Not and In
	KeyPreference                    // the answer to a preference: true, false or absent; allows only Exactly, Not and In
	KeyTracking                      // one of TrackingWords; allows only Exactly, Not and In
	KeyCode                          // a short text in lower case, or ""; allows only Exactly, Not and In
)

// SearchKey is a key that a Condition tests or a search sorts by: a system key or, for
// Contacts, a Field.
type SearchKey struct {
	Name       string       // the system key's name; "" when Field is set
	Field      *Field       // nil for a system key
	Preference PreferenceID // for KeyPreference
	Type       KeyType
	Searchable bool // criteria can test this key; a search can also sort by keys that are not searchable
	Computed   bool // of a record other than a Contact: the database has no expression for this key
	Parts      bool // only for indexes: the index finds parts of the texts (ForParts)
	AfterField bool // a Field with this name takes precedence

	index int // index of the Attribute of a system key in its table
}

// IsText reports whether the values of a key are texts, perhaps addresses.
func (k *SearchKey) IsText() bool {
	return k.Type == KeyText || k.Type == KeyEmail || k.Type == KeyMobile
}

// Condition is a Criteria that has been checked: every key exists and is
// searchable, and every operand has the type of its key.
type Condition struct {
	All []Condition
	Any []Condition

	Key      *SearchKey // nil in a group
	Operator Operator
	Operands []Operand // exactly one; for In, any number
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
	Int        int64   // for KeyInt; for KeyBool 0 or 1; for KeyTracking a TrackingConsent; unused if Absent
	Number     float64 // for KeyNumber, exact to 15 digits; unused if Absent
	Absent     bool    // "" under Exactly, Not and In: matches a record without the value
	Impossible bool    // no stored value can equal this operand, such as 2.5 for an ID
}

// Search is a checked query of a List's Contacts. Package search runs it.
type Search struct {
	Schema     *Schema
	Where      *Condition // nil: every Contact
	Sort       *SearchKey // nil: sort by ID
	Descending bool
	Limit      int64 // 0: no limit
	Offset     int64
	Columns    Columns // the parts of a Contact that the caller reads
	Counted    bool    // the caller wants the number of Contacts, not the Contacts
	Last       bool    // no call follows in the transaction, so the engine can end the transaction with this search
}

// Columns says which parts of a Contact a search must read.
type Columns struct {
	System bool      // at least one system key other than the ID
	Later  bool      // the decision about the recording of opens and clicks, and the language
	All    bool      // every Field
	Fields []FieldID // if All is false: the Fields to read
}
