package imports

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"enlist/internal/address"
	"enlist/internal/enlist"
	"enlist/internal/imports/sheet"
)

// This file converts the cells of a file to the values that Fields read. It accepts what people write into
// spreadsheets. Field.Read then applies the rules of the Field's type. reference.md: import.cells

// input returns a cell of a Field's column as if a caller had sent it. sent is false for a cell that the row does not
// have.
func (b *boundColumn) input(cell any) (in enlist.Input, sent bool) {
	switch v := cell.(type) {
	case nil:
		return enlist.Input{}, false
	case string:
		return enlist.TextInput(b.text(v)), true
	case json.Number:
		if b.field.Type == enlist.Date {
			return enlist.TextInput(b.text(string(v))), true
		}
	case time.Time:
		return enlist.TextInput(isoTime(v)), true
	}
	return inputOf(cell), true
}

// inputOf returns a value of JSON as a caller would send it.
func inputOf(cell any) enlist.Input {
	switch v := cell.(type) {
	case string:
		return enlist.TextInput(v)
	case json.Number:
		return enlist.Input{Kind: enlist.InputNumber, Text: string(v)}
	case bool:
		if v {
			return enlist.Input{Kind: enlist.InputTrue}
		}
		return enlist.Input{Kind: enlist.InputFalse}
	case []any:
		in := enlist.Input{Kind: enlist.InputArray}
		for _, item := range v {
			in.Items = append(in.Items, inputOf(item))
		}
		return in
	case map[string]any:
		in := enlist.Input{Kind: enlist.InputObject}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			item := inputOf(v[name])
			item.Name = name
			in.Items = append(in.Items, item)
		}
		return in
	}
	return enlist.Input{}
}

// text returns a cell in a spelling that the Field accepts. A text that it does not understand stays as it is, so that
// Field.Read refuses it.
func (b *boundColumn) text(cell string) string {
	f := b.field
	cell = withoutGuard(cell)
	switch {
	case f.AddressType == enlist.AddressEmail:
		return address.Bare(cell)
	case f.Type == enlist.Date:
		if iso, ok := b.isoDate(strings.TrimSpace(cell)); ok {
			return iso
		}
		return programDate(cell)
	case f.Numeric():
		return plainNumber(cell, b.decimal)
	case f.Type == enlist.Checkbox && f.Values != "" && !strings.Contains(f.Values, ","):
		if ticked, ok := TickOf(cell); ok && ticked {
			return f.Values
		} else if ok && !strings.EqualFold(strings.TrimSpace(cell), f.Values) {
			return ""
		}
	}
	return cell
}

// guarded matches what is written into files so that a spreadsheet keeps a text as it is: '0491570006 or '=x with an
// apostrophe, ="0491570007" as a formula.
var guarded = regexp.MustCompile(`^\s*(?:'([=+@-].*|[0-9][0-9 ()+./-]*)|="([^"]*)")\s*$`)

// withoutGuard returns a text without what only keeps a spreadsheet from changing it.
func withoutGuard(cell string) string {
	if strings.IndexByte(cell, '\'') < 0 && strings.IndexByte(cell, '=') < 0 {
		return cell
	}
	if m := guarded.FindStringSubmatch(cell); m != nil {
		return m[1] + m[2]
	}
	return cell
}

// shortenedNumber matches a long number as a spreadsheet shows it: 4.9157E+08. Its last digits are lost.
var shortenedNumber = regexp.MustCompile(`^\s*[0-9][.,][0-9]+[eE]\+[0-9]+\s*$`)

// check refuses a telephone number that a spreadsheet has shortened.
func (b *boundColumn) check(in enlist.Input) error {
	if b.field.AddressType != enlist.AddressMobile || in.Kind != enlist.InputText || !shortenedNumber.MatchString(in.Text) {
		return nil
	}
	return enlist.Invalid(b.field.Name, "a spreadsheet has shortened this number: "+
		"give its column the format Text or 0 there, and save the file again")
}

// TickOf reads the words for yes and no that people write for a box to tick.
func TickOf(cell string) (ticked, ok bool) {
	switch strings.ToLower(strings.TrimSpace(cell)) {
	case "true", "yes", "y", "x", "1", "on", "✓":
		return true, true
	case "false", "no", "n", "0", "off", "":
		return false, true
	}
	return false, false
}

// isoDate returns a date as Fields store it. Without a pattern it understands only dates that spreadsheets store as
// numbers.
func (b *boundColumn) isoDate(cell string) (iso string, ok bool) {
	if cell == "" {
		return "", false
	}
	if b.date != nil && b.date.layout != "" {
		at, err := time.Parse(b.date.layout, cell)
		if err != nil || at.Year() < 1 {
			return "", false
		}
		if b.date.hasTime {
			return at.Format(time.DateTime), true
		}
		return at.Format(time.DateOnly), true
	}
	at, ok := excelTime(cell)
	return isoTime(at), ok && (b.date != nil || at.Year() >= firstExcelYear)
}

// The dates that programs write: a time with a zone, and no date as Outlook and MySQL write it (0.0.00, 0000-00-00).
var (
	zonedDate = regexp.MustCompile(
		`^\s*(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:[.,]\d+)?\s*(?:Z|UTC|GMT|[+-]\d\d:?\d\d)?\s*$`)
	noDate = regexp.MustCompile(`^\s*0+[./-]0+[./-]0+(?: 00:00(?::00)?)?\s*$`)
)

// programDate returns a date that a program has written as Fields read it, with the clock that it shows: a birthday at
// midnight of another zone is the same day. It returns any other text as it is.
func programDate(text string) string {
	if len(text) < len("0.0.0") {
		return text
	}
	if noDate.MatchString(text) {
		return ""
	}
	m := zonedDate.FindStringSubmatch(text)
	switch {
	case m == nil:
		return text
	case m[2] == "00:00" && strings.Trim(m[3], ":0") == "":
		return m[1]
	}
	return m[1] + " " + m[2] + cmp.Or(m[3], ":00")
}

// firstExcelYear is the first year that isoDate understands as a number without the pattern excel. Numbers of earlier
// years have fewer than five digits, and could be a year.
const firstExcelYear = 1928

// isoTime returns a date, with its time if it is not midnight.
func isoTime(at time.Time) string {
	if at.Hour()|at.Minute()|at.Second() == 0 {
		return at.Format(time.DateOnly)
	}
	return at.Format(time.DateTime)
}

// excelTime reads a date that a spreadsheet has stored as a number.
func excelTime(cell string) (at time.Time, ok bool) {
	if strings.Trim(cell, "0123456789.") != "" {
		return at, false
	}
	days, err := strconv.ParseFloat(cell, 64)
	if err != nil || days < 1 {
		return at, false
	}
	return sheet.DayOf1900(days)
}

// datePattern is how the dates of a column are written.
type datePattern struct {
	layout  string // of package time; "": a number, as spreadsheets store dates
	hasTime bool
}

// dateParts are the parts of a pattern, longest first. MM after a colon means minutes.
var dateParts = []struct{ part, loose, exact string }{
	{"YYYY", "2006", "2006"}, {"YY", "06", "06"}, {"MMM", "Jan", "Jan"}, {"MM", "1", "01"}, {"M", "1", "1"},
	{"DD", "2", "02"}, {"D", "2", "2"}, {"HH", "15", "15"}, {"mm", "04", "04"}, {"SS", "05", "05"}, {"ss", "05", "05"},
}

// parseDatePattern reads a pattern such as DD.MM.YYYY, M/D/YY, YYYYMMDD or "DD.MM.YYYY HH:MM", or the word excel.
func parseDatePattern(text string) (*datePattern, error) {
	if strings.EqualFold(text, "excel") {
		return new(datePattern), nil
	}
	p := new(datePattern)
	seen := make(map[byte]bool)
	isLoose := strings.ContainsAny(text, " .,/-")
	for rest := text; rest != ""; {
		i := slices.IndexFunc(dateParts, func(d struct{ part, loose, exact string }) bool {
			return strings.HasPrefix(rest, d.part)
		})
		if i < 0 {
			if !strings.ContainsRune(" .,/:-T", rune(rest[0])) {
				return nil, fmt.Errorf("%q is neither YYYY, YY, MM, DD, HH, MM, SS nor a separator", rest)
			}
			p.layout += rest[:1]
			rest = rest[1:]
			continue
		}
		d := dateParts[i]
		written := cmp.Or(map[bool]string{true: d.loose}[isLoose], d.exact)
		if d.part == "MM" && strings.HasSuffix(p.layout, "15:") {
			written = "04"
		}
		p.layout += written
		seen[d.part[0]] = true
		p.hasTime = p.hasTime || d.part == "HH"
		rest = rest[len(d.part):]
	}
	if !seen['Y'] || !seen['M'] || !seen['D'] {
		return nil, errors.New("it needs a year, a month and a day, such as DD.MM.YYYY, or the word excel")
	}
	return p, nil
}

// timeLayouts are the forms of a time in a column of times that name no time zone.
var timeLayouts = []string{time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateOnly}

// unixTime reads a cell of a column of times: a Unix time, or a date with or without a time in a time zone. 0 means
// that the cell is empty.
func (b *boundColumn) unixTime(cell any, zone *time.Location) (int64, error) {
	if at, ok := cell.(time.Time); ok {
		return enlist.WhenClockShows(at.Truncate(time.Second), zone), nil
	}
	text, _ := inputOf(cell).ScalarText()
	text = strings.TrimSpace(text)
	if text == "" || text == "0" || noDate.MatchString(text) {
		return 0, nil
	}
	if b.date != nil {
		if iso, ok := b.isoDate(text); ok {
			text = iso
		}
	} else if unix, err := strconv.ParseInt(text, 10, 64); err == nil && unix > 0 && unix < 1<<40 {
		return unix, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil && at.Unix() > 0 {
		return at.Unix(), nil
	}
	for _, layout := range timeLayouts {
		if at, err := enlist.ParseClock(layout, text, zone); err == nil && at.Unix() > 0 {
			return at.Unix(), nil
		}
	}
	return 0, enlist.Invalid(b.key, "expected a Unix time, or a time such as 2026-01-31 17:05:00")
}

// flag reads a cell of a column of flags. An empty cell means otherwise.
func (b *boundColumn) flag(cell any, otherwise bool) (bool, error) {
	switch v := cell.(type) {
	case nil:
		return otherwise, nil
	case bool:
		return v, nil
	}
	text, _ := inputOf(cell).ScalarText()
	if strings.TrimSpace(text) == "" {
		return otherwise, nil
	}
	if ticked, ok := TickOf(text); ok {
		return ticked, nil
	}
	return otherwise, enlist.Invalid(b.key, "expected 1 or 0")
}
