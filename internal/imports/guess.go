package imports

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"enlist/internal/enlist"
	"enlist/internal/imports/sheet"
)

// This file guesses the types of new Fields from the first rows of a file.

const (
	// guessRows is the number of rows from which an Import guesses the types of new Fields.
	guessRows = 5000
	// maxTextLength is the largest number of characters of a value for which a new Field is a text and no comment.
	maxTextLength = 255
	// TickChoice is the choice of a new checkbox Field.
	TickChoice = "yes"
)

// Guess collects what the values of a column can be. reference.md: import.addfields
type Guess struct {
	column                         boundColumn // with a Field of the type Date
	values                         int         // number of cells that are not empty
	notTick, notDecimal, notDate   bool
	hasTime, isLong, isTickByWords bool
	formats                        formats
}

// NewGuess returns a Guess about values of no column.
func NewGuess() *Guess { return newGuess(&boundColumn{}) }

// newGuess returns a Guess about a column. The caller may have said how its dates and numbers are written.
func newGuess(b *boundColumn) *Guess {
	date := &enlist.Field{Type: enlist.Date, TimeFormat: enlist.Time24}
	return &Guess{column: boundColumn{field: date, date: b.date, decimal: b.decimal}}
}

// See takes one cell into account.
func (g *Guess) See(cell any) {
	switch v := cell.(type) {
	case nil, sheet.CellError:
		return
	case bool:
		g.values++
		g.isTickByWords, g.notDecimal, g.notDate = true, true, true
		return
	case time.Time:
		g.values++
		g.notTick, g.notDecimal = true, true
		g.hasTime = g.hasTime || isoTime(v) != v.Format(time.DateOnly)
		return
	case json.Number:
		cell = string(v)
	case string:
	default: // an array or an object
		g.values++
		g.notTick, g.notDecimal, g.notDate = true, true, true
		return
	}
	text := strings.TrimSpace(cell.(string))
	if text == "" || noDate.MatchString(text) {
		return
	}
	g.values++
	if _, isTick := TickOf(text); !isTick {
		g.notTick = true
	} else if text != "0" && text != "1" {
		g.isTickByWords = true
	}
	g.formats.see(text)
	number := text
	if g.column.decimal != "" {
		number = plainNumber(text, g.column.decimal)
	}
	if _, ok := enlist.ParseDecimal(number); !ok || isCode(text) {
		g.notDecimal = true
	}
	date := programDate(text)
	if g.column.date != nil {
		date, _ = g.column.isoDate(text)
	}
	iso, ok := enlist.ParseDate(date, enlist.Time24)
	g.notDate = g.notDate || !ok
	g.hasTime = g.hasTime || ok && len(iso) > enlist.DateLength
	g.isLong = g.isLong || utf8.RuneCountInString(text) > maxTextLength || strings.ContainsAny(text, "\r\n")
}

// isCode reports whether digits are a name and no number, such as the postcode 01097, the telephone numbers +49351123 and
// 5551234567, or the number of a card: the first two would lose their first character as numbers.
func isCode(text string) bool {
	return text[0] == '+' || len(text) > 1 && text[0] == '0' && text[1] != '.' && text[1] != ',' ||
		len(text) >= 10 && strings.Trim(text, "0123456789") == ""
}

// fieldOfColumn returns the Field for the values of a column of a file, whose format an Import finds out, and the format.
func (g *Guess) fieldOfColumn() (NewField, *ColumnFormat) {
	field := g.Field()
	if field.Type != enlist.Text || g.values == 0 {
		return field, nil
	}
	date, choices := g.formats.date(g.values)
	decimal, ways := g.formats.decimal()
	switch {
	case date != "" && g.column.date == nil && g.formats.anyDate == g.values:
		clock := enlist.TimeOff
		if strings.Contains(date, "HH") {
			clock = enlist.Time24
		}
		return NewField{Type: enlist.Date, TimeFormat: clock}, &ColumnFormat{Date: date}
	case decimal == DecimalComma && g.formats.readsByComma == g.values,
		decimal == DecimalPoint && g.formats.readsPoint == g.values:
		return NewField{Type: enlist.Decimal}, &ColumnFormat{Decimal: decimal}
	case choices != nil && g.column.date == nil && g.formats.anyDate == g.values:
		return field, &ColumnFormat{Choices: choices}
	case ways != nil && g.column.decimal == "" && max(g.formats.readsByComma, g.formats.readsPoint) == g.values:
		return field, &ColumnFormat{Choices: ways}
	}
	return field, nil
}

// Field returns the Field for the values that were seen.
func (g *Guess) Field() NewField {
	switch {
	case g.values == 0:
		return NewField{Type: enlist.Text}
	case !g.notTick && g.isTickByWords:
		return NewField{Type: enlist.Checkbox, Values: TickChoice}
	case !g.notDate && g.hasTime:
		return NewField{Type: enlist.Date, TimeFormat: enlist.Time24}
	case !g.notDate:
		return NewField{Type: enlist.Date, TimeFormat: enlist.TimeOff}
	case !g.notDecimal:
		return NewField{Type: enlist.Decimal}
	case g.isLong:
		return NewField{Type: enlist.Comment}
	}
	return NewField{Type: enlist.Text}
}

// Details returns the definition of the Field as a caller would send it. A column of a file can be a note about a
// person, so subscribers neither see nor change it until a user chooses that. decisions.md: 140
func (f *NewField) Details(name string) []enlist.Detail {
	text := func(key, value string) enlist.Detail {
		return enlist.Detail{Key: key, Value: enlist.TextInput(value)}
	}
	all := []enlist.Detail{text("name", name), text("type", string(f.Type)), text("allow_update", "0"),
		text("show_in_form", "0")}
	if f.Values != "" {
		all = append(all, text("values_array", f.Values))
	}
	if f.TimeFormat != "" {
		all = append(all, text("time_format", f.TimeFormat))
	}
	return all
}
