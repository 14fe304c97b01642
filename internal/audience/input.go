package audience

// InputKind is the shape in which a caller sent a value.
type InputKind uint8

// The shapes. A number's Text is its literal, as it was sent.
const (
	InputNull InputKind = iota
	InputText
	InputNumber
	InputTrue
	InputFalse
	InputArray
	InputObject
)

// Input is a value as a caller sent it, before any rule has looked at it.
type Input struct {
	Kind  InputKind
	Text  string  // of InputText and InputNumber
	Items []Input // of InputArray
}

// Detail is one named value of the details of a Contact, in the order sent.
type Detail struct {
	Key   string
	Value Input
}
