package enlist

import (
	"testing"
	"time"
)

// covers: spec type.coercion, type.date, field.time_format
func TestDatesAreStoredInISOForm(t *testing.T) {
	for _, c := range []struct{ text, format, iso string }{
		{"2026-01-31", TimeOff, "2026-01-31"}, {"2026-01-31", Time12, "2026-01-31"}, {" 2026-01-31 ", Time24, "2026-01-31"},
		{"2024-02-29", TimeOff, "2024-02-29"}, {"2000-02-29", TimeOff, "2000-02-29"}, {"0001-01-01", TimeOff, "0001-01-01"}, {"9999-12-31", TimeOff, "9999-12-31"},
		{"2026-01-31 17:05:09", Time24, "2026-01-31 17:05:09"}, {"2026-01-31 17:05:09", Time12, "2026-01-31 17:05:09"},
		{"2026-01-31 05:05:09 PM", Time12, "2026-01-31 17:05:09"}, {"2026-01-31 05:05:09am", Time12, "2026-01-31 05:05:09"},
		{"2026-01-31 12:00:00 AM", Time12, "2026-01-31 00:00:00"}, {"2026-01-31 12:00:00 PM", Time12, "2026-01-31 12:00:00"},
		{"2026-01-31 23:59:59", Time24, "2026-01-31 23:59:59"}, {"2026-01-31 00:00:00", Time24, "2026-01-31 00:00:00"},
		{"2026-01-31 17:05:09", TimeOff, ""}, {"2026-01-31 05:05:09 PM", Time24, ""}, {"2026-01-31 17:05:09 PM", Time12, ""}, {"2026-01-31 00:05:09 AM", Time12, ""},
		{"2026-01-31  7:05:09", Time24, ""}, {"2026-01-31  7:05:09 PM", Time12, ""},
		{"2026-01-31 24:00:00", Time24, ""}, {"2026-01-31 12:60:00", Time24, ""}, {"2026-01-31 12:00:60", Time24, ""}, {"2026-01-31T12:00:00", Time24, ""},
		{"2026-01-31 12:00", Time24, ""}, {"2026-01-31 12:00:00 XM", Time12, ""}, {"2026-01-31 12:00:00Z", Time24, ""}, {"2026-01-31 1a:00:00", Time24, ""},
		{"2026-02-29", TimeOff, ""}, {"1900-02-29", TimeOff, ""}, {"2026-04-31", TimeOff, ""}, {"2026-13-01", TimeOff, ""}, {"2026-00-01", TimeOff, ""}, {"2026-01-00", TimeOff, ""},
		{"2026-01-32", TimeOff, ""}, {"0000-01-01", TimeOff, ""}, {"0000-00-00", TimeOff, ""}, {"31/01/2026", TimeOff, ""}, {"2026/01/31", TimeOff, ""}, {"2026-1-31", TimeOff, ""},
		{"20260131", TimeOff, ""}, {"", TimeOff, ""}, {"current", TimeOff, ""}, {"2026-01-3x", TimeOff, ""}, {"12026-01-31", TimeOff, ""},
	} {
		t.Run(c.text+" "+c.format, func(t *testing.T) {
			if iso, ok := ParseDate(c.text, c.format); ok != (c.iso != "") || ok && iso != c.iso {
				t.Errorf("ParseDate(%q, %q) = %q, %v; want %q", c.text, c.format, iso, ok, c.iso)
			}
		})
	}
}

// covers: spec type.today, field.date_validation
func TestDateValidationIncludesTodayAndBothEndsOfARange(t *testing.T) {
	const today = "2026-06-15"
	for _, c := range []struct {
		iso, validation string
		in              bool
	}{
		{"1999-01-01", "", true},
		{"2026-06-14", "past", true}, {"2026-06-15", "past", true}, {"2026-06-15 23:59:59", "past", true}, {"2026-06-16", "past", false},
		{"2026-06-14", "future", false}, {"2026-06-15", "future", true}, {"2026-06-15 00:00:00", "future", true}, {"2026-06-16", "future", true},
		{"2026-01-01", "2026-01-01,2026-01-31", true}, {"2026-01-31", "2026-01-01,2026-01-31", true}, {"2026-01-31 23:00:00", "2026-01-01,2026-01-31", true},
		{"2025-12-31", "2026-01-01,2026-01-31", false}, {"2026-02-01", "2026-01-01,2026-01-31", false},
	} {
		t.Run(c.iso+" "+c.validation, func(t *testing.T) {
			if in := inDateRange(c.iso, c.validation, today); in != c.in {
				t.Errorf("inDateRange(%q, %q) = %v, want %v", c.iso, c.validation, in, c.in)
			}
		})
	}
}

// covers: spec field.date_validation
func TestDateValidationIsPastFutureOrARange(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"past", "past"}, {" future ", "future"},
		{"2026-01-01,2026-12-31", "2026-01-01,2026-12-31"}, {"2026-01-01 , 2026-01-01", "2026-01-01,2026-01-01"},
	} {
		t.Run(c.text, func(t *testing.T) {
			if got, ok := ParseDateValidation(c.text); !ok || got != c.want {
				t.Errorf("got %q, %v; want %q", got, ok, c.want)
			}
		})
	}
	for _, text := range []string{"Past", "2026-01-01", "2026-12-31,2026-01-01", "2026-01-01,2026-02-30", "a,b", ",",
		"2026-01-01,2026-01-02,2026-01-03"} {
		t.Run("refused "+text, func(t *testing.T) {
			if got, ok := ParseDateValidation(text); ok {
				t.Errorf("got %q, want a refusal", got)
			}
		})
	}
}

// covers: spec type.today
func TestTodayDependsOnTheTimeZone(t *testing.T) {
	now := time.Date(2026, 12, 31, 23, 30, 0, 0, time.UTC)
	for _, c := range []struct{ zone, want string }{
		{"", "2026-12-31"}, {"UTC", "2026-12-31"}, {"Australia/Sydney", "2027-01-01"}, {"America/New_York", "2026-12-31"},
		{"No/Such", "2026-12-31"},
	} {
		t.Run(c.zone, func(t *testing.T) {
			for range 2 { // the second time the zone is read from the cache
				if got := Today(now, c.zone); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			}
		})
	}
}

// covers: spec type.coercion
func FuzzDate(f *testing.F) {
	for _, s := range []string{"2026-01-31", "2024-02-29", "2026-01-31  7:05:09", "2026-01-31 17:05:09", "2026-01-31 12:00:00 AM", "9999-12-31 11:59:59 pm", "0000-01-01", "2026-02-30"} {
		f.Add(s, TimeOff)
		f.Add(s, Time12)
		f.Add(s, Time24)
	}
	f.Fuzz(func(t *testing.T, text, format string) {
		iso, ok := ParseDate(text, format)
		if !ok {
			return
		}
		layout := time.DateOnly
		if len(iso) > DateLength {
			layout = time.DateTime
		}
		when, err := time.Parse(layout, iso)
		if err != nil || when.Format(layout) != iso {
			t.Errorf("%q is stored as %q, which is not a date: %v", text, iso, err)
		}
		if again, ok := ParseDate(iso, format); !ok || again != iso {
			t.Errorf("%q is stored as %q, but this is read as %q, %v", text, iso, again, ok)
		}
	})
}
