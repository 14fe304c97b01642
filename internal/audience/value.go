package audience

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Unbox takes a value out of arrays that hold only it. decisions.md: 7
func (in Input) Unbox() Input {
	for in.Kind == InputArray && len(in.Items) == 1 {
		in = in.Items[0]
	}
	return in
}

// Omitted reports whether the value stands for none: null, "" or an empty array. decisions.md: 7
func (in Input) Omitted() bool {
	in = in.Unbox()
	switch in.Kind {
	case InputNull:
		return true
	case InputText:
		return in.Text == ""
	case InputArray:
		return len(in.Items) == 0
	}
	return false
}

// AsInt reads an integer: a JSON number, or a string of one, whose value has no
// fraction and fits 64 bits. decisions.md: 7
func (in Input) AsInt() (n int64, ok bool) {
	in = in.Unbox()
	if in.Kind != InputNumber && in.Kind != InputText || !jsonNumber(in.Text) {
		return 0, false
	}
	if n, err := strconv.ParseInt(in.Text, 10, 64); err == nil {
		return n, true
	}
	text, ok := plainNumber(in.Text)
	if !ok {
		return 0, false
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if strings.Trim(fraction, "0") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	return n, err == nil
}

// jsonNumber tells "7" from "+7", "07" and ".7", which readNumber takes too.
func jsonNumber(text string) bool {
	text = strings.TrimPrefix(text, "-")
	if text == "" || !allDigits(text[:1]) || len(text) > 1 && text[0] == '0' && allDigits(text[1:2]) {
		return false
	}
	_, ok := readNumber(text)
	return ok
}

// AsBool reads a boolean: true or false, 1 or 0, also as strings. Some clients
// write 1 as 1.0. decisions.md: 7
func (in Input) AsBool() (b, ok bool) {
	in = in.Unbox()
	switch {
	case in.Kind == InputTrue || in.Kind == InputFalse:
		return in.Kind == InputTrue, true
	case in.Kind == InputText && (in.Text == "true" || in.Text == "false"):
		return in.Text == "true", true
	}
	n, ok := in.AsInt()
	return n == 1, ok && (n == 0 || n == 1)
}

// AsText reads a value as text: numbers as they were sent but for an exponent,
// booleans as "1" and "0", null as "", an array of scalars joined with ",".
// An object, and an array in an array, is none. decisions.md: 21
func (in Input) AsText() (text string, ok bool) {
	in = in.Unbox()
	if in.Kind != InputArray {
		return in.scalar()
	}
	parts := make([]string, len(in.Items))
	for i, item := range in.Items {
		if parts[i], ok = item.Unbox().scalar(); !ok {
			return "", false
		}
	}
	return strings.Join(parts, ","), true
}

func (in Input) scalar() (text string, ok bool) {
	switch in.Kind {
	case InputText:
		return in.Text, true
	case InputNumber:
		return plainNumber(in.Text)
	case InputTrue:
		return "1", true
	case InputFalse:
		return "0", true
	case InputNull:
		return "", true
	}
	return "", false
}

// Read turns what was sent for the Field into what is stored; "" means empty.
// today is the Account's date, as Today gives it. What the Field does not take
// is InvalidParameters, under the email Field InvalidEmail. decisions.md: 21, 23
func (f *Field) Read(in Input, today string) (text string, err error) {
	in = in.Unbox()
	if f.AddressType == AddressEmail {
		return f.readEmail(in)
	}
	text, ok := in.AsText()
	if !ok {
		return "", f.refuse("a single value or a list of them was expected")
	}
	if text == "" {
		return "", nil
	}
	switch f.Type {
	case Text:
		return text, f.checkLength(text)
	case Decimal, Currency:
		return f.readDecimal(text)
	case Date:
		return f.readDate(text, today)
	case Dropdown, Radio:
		return f.readChoice(text)
	case Checkbox:
		return f.readChoices(text)
	}
	return text, nil // Comment and File hold any text
}

func (f *Field) readEmail(in Input) (string, error) {
	text, ok := in.scalar()
	if !ok && !in.Omitted() {
		return "", f.refuseEmail("one email address was expected")
	}
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	spelling, _, ok := ParseEmail(text)
	if !ok {
		return "", f.refuseEmail("an address like name@example.com was expected")
	}
	return spelling, f.checkLength(spelling)
}

func (f *Field) readDecimal(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	if canonical, ok := ParseDecimal(text); ok {
		return canonical, nil
	}
	return "", f.refuse("a number of at most 15 digits and 15 decimals was expected")
}

func (f *Field) readDate(text, today string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	iso, ok := ParseDate(text, f.TimeFormat)
	switch {
	case !ok && (f.TimeFormat == time12 || f.TimeFormat == time24):
		return "", f.refuse("a date as YYYY-MM-DD or YYYY-MM-DD HH:MM:SS was expected")
	case !ok:
		return "", f.refuse("a date as YYYY-MM-DD was expected")
	case inDateRange(iso, f.DateValidation, today):
		return iso, nil
	}
	switch f.DateValidation {
	case datePast:
		return "", f.refuse("a date up to today was expected")
	case dateFuture:
		return "", f.refuse("a date from today on was expected")
	}
	from, to, _ := strings.Cut(f.DateValidation, ",")
	return "", f.refuse("a date from " + from + " to " + to + " was expected")
}

func (f *Field) readChoice(text string) (string, error) {
	for choice := range strings.SplitSeq(f.Values, ",") {
		if choice == text {
			return text, nil
		}
	}
	return "", f.refuse("one of the Field's choices was expected")
}

// readChoices puts the choices into the Field's own order, each once.
func (f *Field) readChoices(text string) (string, error) {
	choices := strings.Split(f.Values, ",")
	place := make(map[string]int, len(choices))
	for i, choice := range choices {
		place[choice] = i
	}
	sent := make([]bool, len(choices))
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		i, ok := place[item]
		if !ok { // before the next one is looked at: there may be millions
			return "", f.refuse("choices of the Field were expected, separated by commas")
		}
		sent[i] = true
	}
	var stored []string
	for i, choice := range choices {
		if sent[i] {
			stored = append(stored, choice)
		}
	}
	return strings.Join(stored, ","), nil
}

// Default is what a new Contact gets in the Field when nothing was sent for
// it, "" when nothing. A date that its own validation refuses by now is left
// out. decisions.md: 22
func (f *Field) Default(today string) string {
	switch f.Type {
	case Text, Comment, Decimal, Currency:
		return f.DefaultValue
	case Date:
		date := f.DefaultValue
		if date == currentDate {
			date = today
		}
		if date == "" || !inDateRange(date, f.DateValidation, today) {
			return ""
		}
		return date
	case Dropdown:
		if f.DontStoreDefault {
			return ""
		}
		return f.Defaults
	case Radio, Checkbox:
		return f.Defaults
	}
	return ""
}

// Stored is what is kept of a value that Read returned: nothing of a Dropdown's
// default choice where dont_store_default says so. decisions.md: 22
func (f *Field) Stored(text string) string {
	if f.Type == Dropdown && f.DontStoreDefault && text == f.Defaults {
		return ""
	}
	return text
}

func (f *Field) checkLength(text string) error {
	if f.Length > 0 && int64(len(text)) > f.Length && int64(utf8.RuneCountInString(text)) > f.Length {
		return f.refuse("at most " + strconv.FormatInt(f.Length, 10) + " characters were expected")
	}
	return nil
}

func (f *Field) refuse(detail string) error {
	return &Error{Kind: InvalidParameters, Field: f.Name, Detail: detail}
}

func (f *Field) refuseEmail(detail string) error {
	return &Error{Kind: InvalidEmail, Field: f.Name, Detail: detail}
}

// splitTrimmed takes a comma-separated list apart and leaves out empty items.
func splitTrimmed(list string) []string {
	var items []string
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
