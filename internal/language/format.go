package language

import (
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// This file writes numbers and times as a language does.

// Number writes a number with separators: 31,204.
func (l *Language) Number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "−", digits[1:]
	}
	if len(digits) <= 3 {
		return sign + digits
	}
	group := l.Text("format.group")
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + group + digits[at:]
	}
	return sign + digits
}

// Signed is Number with a plus sign.
func (l *Language) Signed(n int64) string {
	if n > 0 {
		return "+" + l.Number(n)
	}
	return l.Number(n)
}

// Percent writes a part of a whole with as many digits as matter: 64.9 %, 0.17 %. It is "–" for a part of nothing.
func (l *Language) Percent(part, whole int64) string {
	if whole == 0 {
		return "–"
	}
	p := 100 * float64(part) / float64(whole)
	digits := 1
	switch a := math.Abs(p); {
	case a == 0 || a >= 99.95:
		digits = 0
	case a < 1:
		digits = 2
	}
	return l.Text("format.percent", "n", l.Decimal(p, digits))
}

// Points writes a difference of two percentages, given in thousandths of a percent: +6.7.
func (l *Language) Points(thousandths int64) string {
	p := float64(thousandths) / 1000
	digits := 1
	if math.Abs(p) < 1 && thousandths != 0 {
		digits = 2
	}
	switch {
	case p > 0:
		return "+" + l.Decimal(p, digits)
	case p < 0:
		return "−" + l.Decimal(-p, digits)
	}
	return l.Decimal(p, digits)
}

// Size writes a number of bytes: 1 KB, 2.5 MB. 1 KB has 1,024 bytes, as in the settings, which call it 1KiB (enlist.Size).
func (l *Language) Size(bytes int64) string {
	unit, of, digits := "format.gigabytes", 1<<30, 4
	switch {
	case bytes < 1<<10:
		return l.Text("format.bytes", "n", bytes)
	case bytes < 1000<<10:
		unit, of, digits = "format.kilobytes", 1<<10, 3
	case bytes < 1000<<20:
		unit, of, digits = "format.megabytes", 1<<20, 3
	}
	return l.Text(unit, "n", l.decimal(strconv.FormatFloat(float64(bytes)/float64(of), 'g', digits, 64)))
}

// Decimal writes a number with a fixed number of decimals: 64.9.
func (l *Language) Decimal(x float64, decimals int) string {
	return l.decimal(strconv.FormatFloat(x, 'f', decimals, 64))
}

func (l *Language) decimal(digits string) string {
	return strings.Replace(digits, ".", l.Text("format.decimal"), 1)
}

// Time writes a time with one of the texts of [format], such as "day".
func (l *Language) Time(format string, t time.Time) string {
	month, names := t.Month()-time.January, &l.catalogue().names
	return l.Text("format."+format, "day", strconv.Itoa(t.Day()), "month", names[0][month], "short_month",
		names[1][month], "weekday", names[2][t.Weekday()], "year", strconv.Itoa(t.Year()), "time",
		t.Format("15:04"), "seconds", t.Format("05"), "zone", t.Format("UTC-07:00"))
}

// Country returns the name of a country, given by its code of ISO 3166-1.
func (l *Language) Country(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	return display.Regions(l.tag).Name(region)
}

// SortKeys returns a key for each text, by which they sort as in the language: ä beside a, and Chinese by its sounds.
func (l *Language) SortKeys(texts []string) [][]byte {
	c, buffer, keys := collate.New(l.tag), new(collate.Buffer), make([][]byte, len(texts))
	for i, text := range texts {
		keys[i] = c.KeyFromString(buffer, text)
	}
	return keys
}

// Series writes names with commas between them.
func (l *Language) Series(items []string) string { return l.join("format.list", items) }

// Clauses writes parts of a sentence with semicolons between them.
func (l *Language) Clauses(items []string) string { return l.join("format.clauses", items) }

// Sentences writes sentences after each other, without those that are empty. Chinese has no space between them.
func (l *Language) Sentences(items ...string) string { return l.join("format.sentences", items) }

// Named writes what something is, or has, after its name and a colon.
func (l *Language) Named(name, value string) string {
	return l.Text("format.named", "name", name, "value", value)
}

// join joins items by a text for two of them. It leaves out empty ones.
func (l *Language) join(both string, items []string) (all string) {
	for _, item := range items {
		switch {
		case all == "":
			all = item
		case item != "":
			all = l.Text(both, "a", all, "b", item)
		}
	}
	return all
}
