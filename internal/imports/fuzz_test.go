package imports

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"enlist/internal/enlist"
)

// These fuzz targets read patterns of dates and cells of files.

// FuzzDatePattern reads dates by any pattern. A date that a pattern wrote is read again as the same date, and an accepted
// date is one that a Field of type date stores.
func FuzzDatePattern(f *testing.F) {
	for _, p := range []string{"DD.MM.YYYY", "M/D/YY", "YYYYMMDD", "DD.MM.YYYY HH:MM", "excel", "D MMM YYYY", "YYYY-MM-DDTHH:MM:SS", "DD"} {
		f.Add(p, "31.1.2020", int64(1580464800))
	}
	f.Add("YYYY-MM-DD", "0000-02-30", int64(0))
	f.Fuzz(func(t *testing.T, pattern, cell string, unix int64) {
		p, err := parseDatePattern(pattern)
		if err != nil {
			return
		}
		b := &boundColumn{field: &enlist.Field{Type: enlist.Date}, date: p}
		if iso, ok := b.isoDate(cell); ok {
			if _, err := time.Parse(isoLayout(iso), iso); err != nil {
				t.Errorf("%q by %q is %q: %v", cell, pattern, iso, err)
			}
		}
		at := time.Unix(unix%2e9, 0).UTC()
		written := at.Format(p.layout)
		if p.layout == "" || unix < 0 || strings.Contains(pattern, "T") {
			return
		}
		iso, ok := b.isoDate(written)
		if day := at.Format(time.DateOnly); ok && readsEachPartOnce(pattern) && !strings.HasPrefix(iso, day) {
			t.Errorf("%q by %q is %q, want %s", written, pattern, iso, day)
		}
	})
}

func isoLayout(iso string) string {
	if len(iso) > len(time.DateOnly) {
		return time.DateTime
	}
	return time.DateOnly
}

// readsEachPartOnce reports whether a pattern has one year with four digits, one month and one day, with separators
// between them. Only such a pattern has one meaning.
func readsEachPartOnce(pattern string) bool {
	rest := pattern
	for _, part := range []string{"YYYY", "MM", "DD"} {
		if strings.Count(rest, part) != 1 {
			return false
		}
		rest = strings.Replace(rest, part, "", 1)
	}
	return strings.Trim(rest, ".-/") == ""
}

// FuzzCell reads cells of every kind. A Field accepts or refuses what a cell becomes, and a cell that a Field accepts
// without a pattern is accepted again as it is stored.
func FuzzCell(f *testing.F) {
	for _, cell := range []string{"", "ann@example.com", "Ann <a@b.de>", "1.234,50", "43861", "2020-01-31 10:00", "x", "TRUE", "\x00", "☃", "1e400", "<"} {
		f.Add(cell, uint8(0), false)
	}
	kinds := []enlist.Field{{Name: "f", Type: enlist.Text}, {Name: "f", Type: enlist.Decimal}, {Name: "f", Type: enlist.Date}, {Name: "f", Type: enlist.Checkbox, Values: "yes"},
		{Name: "f", Type: enlist.Text, AddressType: enlist.AddressEmail}}
	f.Fuzz(func(t *testing.T, cell string, kind uint8, comma bool) {
		b := &boundColumn{field: &kinds[int(kind)%len(kinds)], key: keyCreated}
		for _, v := range []any{cell, json.Number(cell), nil, true, []any{cell}, map[string]any{cell: cell}} {
			in, _ := b.input(v)
			text, err := b.field.Read(in, "2026-01-31")
			if err != nil {
				continue
			}
			again, err := b.field.Read(enlist.Input{Kind: enlist.InputText, Text: text}, "2026-01-31")
			if err != nil || again != text {
				t.Errorf("%q is stored as %q, which is read as %q, error %v", cell, text, again, err)
			}
		}
		if at, err := b.unixTime(cell, time.UTC); err == nil && at < 0 {
			t.Errorf("%q is the Unix time %d", cell, at)
		}
		if _, err := b.flag(cell, true); err != nil && enlist.KindOf(err) != enlist.InvalidParameters {
			t.Errorf("%q is refused with %v", cell, err)
		}
	})
}
