package enlist

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"enlist/internal/address"
)

// This file converts an Input to the value of a Field, by the Field's type. It also returns the
// default value for a new Contact. value_form.go first adapts what forms send. The formats of
// numbers and dates are in value_decimal.go and value_date.go.

// ReadStrictly is Read without the changes for forms.
func (f *Field) ReadStrictly(in Input, today string) (text string, err error) {
	if f.AddressType == AddressEmail {
		return f.readEmail(in)
	}
	text, ok := in.AsText()
	if !ok {
		return "", f.refuse("expected a single value or a list of values")
	}
	if text == "" {
		return "", nil
	}
	if !IsText(text) {
		return "", f.refuse("expected text in UTF-8 without NUL")
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
	return text, nil // Comment and File accept any text
}

// IsText reports whether every engine can store a text: it is UTF-8 without NUL. A call with another text is refused
// before this, but forms and files can contain one. reference.md: value.text
func IsText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// readEmail reads an email address and returns it in the spelling to store. decisions.md: 23
func (f *Field) readEmail(in Input) (string, error) {
	text, ok := in.ScalarText()
	if !ok && !in.Omitted() {
		return "", f.refuseEmail("expected one email address")
	}
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	spelling, _, ok := address.ParseEmail(text)
	if !ok {
		return "", f.refuseEmail("expected an address like name@example.com")
	}
	return spelling, f.checkLength(spelling)
}

// readDecimal returns a number in its stored form. A text of only spaces means empty.
func (f *Field) readDecimal(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	if canonical, ok := ParseDecimal(text); ok {
		return canonical, nil
	}
	return "", f.refuse("expected a number of at most 15 digits and 15 decimals")
}

// readDate returns a date in its stored form, if the Field's date_validation accepts it. A text
// of only spaces means empty. reference.md: type.today
func (f *Field) readDate(text, today string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	iso, ok := ParseDate(text, f.TimeFormat)
	switch {
	case !ok && (f.TimeFormat == Time12 || f.TimeFormat == Time24):
		return "", f.refuse("expected a date as YYYY-MM-DD or YYYY-MM-DD HH:MM:SS")
	case !ok:
		return "", f.refuse("expected a date as YYYY-MM-DD")
	case inDateRange(iso, f.DateValidation, today):
		return iso, nil
	}
	switch f.DateValidation {
	case datePast:
		return "", f.refuse("expected a date up to today")
	case dateFuture:
		return "", f.refuse("expected today or a later date")
	}
	from, to, _ := strings.Cut(f.DateValidation, ",")
	return "", f.refuse("expected a date from " + from + " to " + to)
}

// readChoice accepts one of the Field's choices. The spelling must be the same.
func (f *Field) readChoice(text string) (string, error) {
	if slices.Contains(strings.Split(f.Values, ","), text) {
		return text, nil
	}
	return "", f.refuse("expected one of the Field's choices")
}

// readChoices returns the sent choices in the Field's own order, without repetitions. It stops
// at the first unknown choice, because a request may contain millions.
func (f *Field) readChoices(text string) (string, error) {
	choices := strings.Split(f.Values, ",")
	position := make(map[string]int, len(choices))
	for i, choice := range choices {
		position[choice] = i
	}
	sent := make([]bool, len(choices))
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		i, ok := position[item]
		if !ok {
			return "", f.refuse("expected choices of the Field, separated by commas")
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

// Default returns the value that a new Contact gets if the caller sent no value for the Field.
// "" means no default. If date_validation refuses the default date today, Default returns "".
// reference.md: subscribeContact.rule.6
func (f *Field) Default(today string) string {
	switch f.Type {
	case Text, Comment, Decimal, Currency:
		return f.DefaultValue
	case Date:
		date := f.DefaultValue
		if date == CurrentDate {
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

// Stored returns the text to store for a value that Read returned. A Dropdown with
// dont_store_default does not store its default choice. reference.md: subscribeContact.rule.6
func (f *Field) Stored(text string) string {
	if f.Type == Dropdown && f.DontStoreDefault && text == f.Defaults {
		return ""
	}
	return text
}

// checkLength refuses a text with more characters than the Field's Length.
func (f *Field) checkLength(text string) error {
	if f.Length > 0 && int64(len(text)) > f.Length && int64(utf8.RuneCountInString(text)) > f.Length {
		return f.refuse("expected at most " + strconv.FormatInt(f.Length, 10) + " characters")
	}
	return nil
}

func (f *Field) refuse(detail string) error {
	return Invalid(f.Name, detail)
}

func (f *Field) refuseEmail(detail string) error {
	return &Error{Kind: InvalidEmail, Field: f.Name, Detail: detail}
}

// SplitTrimmed splits a list at its commas and leaves out empty items.
func SplitTrimmed(list string) []string {
	var items []string
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		if item != "" {
			items = append(items, item)
		}
	}
	return items
}
