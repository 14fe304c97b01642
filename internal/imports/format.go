package imports

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"enlist/internal/enlist"
)

// This file finds out how the dates and numbers of a column are written. Values that only one way explains decide; where
// there are none, a person has to say it. reference.md: import.cells

// ColumnFormat is how the values of a column are written, as its first rows show it.
type ColumnFormat struct {
	Date    string   `json:"date,omitempty"`    // a pattern such as DD.MM.YYYY
	Decimal string   `json:"decimal,omitempty"` // DecimalComma or DecimalPoint
	Choices []string `json:"choices,omitempty"` // what a person has to choose from: the values do not decide
}

// What stands before the decimals of a number.
const (
	DecimalComma = "comma" // 1.234,50
	DecimalPoint = "point" // 1,234.50
)

// knownDates are the patterns that are tried. Of two that read all values, the first one wins.
var knownDates = func() (known []knownDate) {
	for _, separator := range []string{".", "/", "-"} {
		for _, order := range []string{"DD.MM.YYYY", "MM.DD.YYYY", "YYYY.MM.DD", "DD.MM.YY", "MM.DD.YY"} {
			known = append(known, knownDate{pattern: strings.ReplaceAll(order, ".", separator)})
		}
	}
	for _, pattern := range []string{"DD MMM YYYY", "DD-MMM-YYYY", "MMM DD, YYYY"} {
		known = append(known, knownDate{pattern: pattern})
	}
	for _, d := range slices.Clone(known) {
		known = append(known, knownDate{pattern: d.pattern + " HH:MM"}, knownDate{pattern: d.pattern + " HH:MM:SS"})
	}
	for n := range known {
		known[n].read, _ = parseDatePattern(known[n].pattern) // the patterns above are right
	}
	return known
}()

type knownDate struct {
	pattern string
	read    *datePattern
}

// reads reports whether a text is a date of the pattern.
func (d *knownDate) reads(text string) bool {
	at, err := time.Parse(d.read.layout, text)
	return err == nil && at.Year() > 0
}

// swapped returns a pattern with the day and the month in the other order.
func swapped(pattern string) string {
	date, clock, _ := strings.Cut(pattern, " ") // MM of a time are minutes
	date = strings.NewReplacer("DD", "MM", "MMM", "MMM", "MM", "DD").Replace(date)
	return strings.TrimSpace(date + " " + clock)
}

// The numbers that only one way of writing explains, and those that both do.
var (
	withComma = regexp.MustCompile(`^[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+$|^[+-]?\d{1,3}(\.\d{3}){2,}$`)
	withPoint = regexp.MustCompile(`^[+-]?(\d*|\d{1,3}(,\d{3})+)\.\d+$|^[+-]?\d{1,3}(,\d{3}){2,}$`)
	unclear   = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}[.,]\d{3}$`)
	byPoints  = regexp.MustCompile(`^[+-]?\d{1,3}(\.\d{3})+$`)
	byCommas  = regexp.MustCompile(`^[+-]?\d{1,3}(,\d{3})+$`)
)

// plainNumber returns a number without its currency and with a point before its decimals. It returns any other text as it
// is.
func plainNumber(cell, decimal string) string {
	text := strings.TrimFunc(cell, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Sc, r) })
	text = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "", "’", "").Replace(text)
	switch {
	case decimal == DecimalComma && (withComma.MatchString(text) || byPoints.MatchString(text)):
		return strings.Replace(strings.ReplaceAll(text, ".", ""), ",", ".", 1)
	case decimal == DecimalPoint && (withPoint.MatchString(text) || byCommas.MatchString(text)):
		return strings.ReplaceAll(text, ",", "")
	}
	if _, ok := enlist.ParseDecimal(text); ok {
		return text
	}
	return cell
}

// formats counts the ways in which the values of a column can be written.
type formats struct {
	dates                    []int // by the number in knownDates
	anyDate, plainDate       int   // values that are dates in any pattern, and without one
	comma, point, either     int   // numbers
	readsByComma, readsPoint int   // values that are numbers if they are written so
}

// see takes a text into account.
func (f *formats) see(text string) {
	if f.dates == nil {
		f.dates = make([]int, len(knownDates))
	}
	if len(text) > 30 {
		return
	}
	if iso, ok := new(boundColumn).isoDate(text); ok {
		text = iso
	}
	text = programDate(text)
	isDate := false
	if _, ok := enlist.ParseDate(text, enlist.Time24); ok {
		f.plainDate++
	} else if strings.ContainsAny(text, "./- ") {
		for n := range knownDates {
			if knownDates[n].reads(text) {
				f.dates[n]++
				isDate = true
			}
		}
	}
	if isDate {
		f.anyDate++
		return
	}
	f.seeNumber(text)
}

func (f *formats) seeNumber(text string) {
	byComma, byPoint := plainNumber(text, DecimalComma), plainNumber(text, DecimalPoint)
	if _, ok := enlist.ParseDecimal(byComma); ok && !isCode(text) {
		f.readsByComma++
	}
	if _, ok := enlist.ParseDecimal(byPoint); ok && !isCode(text) {
		f.readsPoint++
	}
	number := strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Sc, r) })
	switch isComma, isPoint := withComma.MatchString(number), withPoint.MatchString(number); {
	case unclear.MatchString(number):
		if strings.Contains(number, ",") {
			f.either++
		}
	case isComma:
		f.comma++
	case isPoint:
		f.point++
	}
}

// date returns the pattern of the dates, or patterns to choose from. Most values must be dates.
func (f *formats) date(values int) (pattern string, choices []string) {
	best := -1
	for n, count := range f.dates {
		if count > 0 && (best < 0 || count > f.dates[best]) {
			best = n
		}
	}
	if best < 0 || 2*f.dates[best] < values {
		return "", nil
	}
	pattern = knownDates[best].pattern
	other := slices.IndexFunc(knownDates, func(d knownDate) bool { return d.pattern == swapped(pattern) })
	switch {
	case !strings.Contains(pattern, "YYYY"): // 45 can be 1945 and 2045
		return "", []string{pattern}
	case other < 0 || other == best || strings.Contains(pattern, "."):
		return pattern, nil // months have names, the year is first, or points: only days stand first there
	case f.dates[other] == f.dates[best], 20*(f.anyDate-f.dates[best]) > f.dates[best]:
		return "", []string{pattern, knownDates[other].pattern}
	}
	return pattern, nil
}

// decimal returns what stands before the decimals, or ways to choose from. A number such as 1.234 has decimals unless
// others of the column say that it has not.
func (f *formats) decimal() (decimal string, choices []string) {
	switch {
	case f.comma > 0 && f.point == 0:
		return DecimalComma, nil
	case f.point > 0 && f.comma == 0:
		return DecimalPoint, nil
	case f.comma > 0 || f.either > 0:
		return "", []string{DecimalComma, DecimalPoint}
	}
	return "", nil
}

// format returns how the values of a column with a Field are written, or nil. It is nil also where the caller has said it.
func (g *Guess) format(f *enlist.Field, isTime bool) *ColumnFormat {
	var c ColumnFormat
	switch {
	case isTime || f != nil && f.Type == enlist.Date:
		if g.column.date == nil && g.formats.plainDate < g.values {
			c.Date, c.Choices = g.formats.date(g.values)
		}
	case f != nil && f.Numeric() && g.column.decimal == "":
		c.Decimal, c.Choices = g.formats.decimal()
	}
	if c.Date == "" && c.Decimal == "" && c.Choices == nil {
		return nil
	}
	return &c
}
