package enlist

import (
	"math/big"
	"strconv"
	"strings"
	"testing"
)

// covers: spec type.coercion, type.decimal, type.currency
func TestDecimalsAreStoredInTheirCanonicalForm(t *testing.T) {
	for _, c := range []struct{ text, canonical string }{
		{"0", "0"}, {"7", "7"}, {" 7 ", "7"}, {"+5", "5"}, {"-5", "-5"}, {"007", "7"}, {"-007.50", "-7.50"},
		{"12.50", "12.50"}, {"0.5", "0.5"}, {".5", "0.5"}, {"-.5", "-0.5"}, {"00.50", "0.50"},
		{"-0", "0"}, {"-0.00", "0.00"}, {"0.00", "0.00"}, {"0e9", "0"}, {"-0.0e-999999999999", "0"},
		{"1e+05", "100000"}, {"1E5", "100000"}, {"1.5e3", "1500"}, {"1.50e1", "15.0"}, {"150e-1", "15.0"}, {"2.5e-3", "0.0025"},
		{"999999999999999", "999999999999999"}, {"123456789012345", "123456789012345"}, {"1e14", "100000000000000"},
		{"0.123456789012345", "0.123456789012345"}, {"1234567.5000000000", "1234567.5000000000"}, {"0.000000000000001", "0.000000000000001"},
		{"000000000000000000001", "1"},
		{"1000000000000000", ""}, {"1e15", ""}, {"1234567890123456", ""}, {"1.123456789012345", ""}, {"0.0000000000000001", ""},
		{"1.0000000000000000", ""}, {"1e999999999", ""}, {"1e-999999999", ""}, {"1e99999999999999999999", ""},
		{"", ""}, {" ", ""}, {"-", ""}, {".", ""}, {"5.", ""}, {"1e", ""}, {"1e+", ""}, {"e5", ""}, {"1.2.3", ""}, {"1,5", ""}, {"$5", ""},
		{"1 000", ""}, {"0x10", ""}, {"1_000", ""}, {"NaN", ""}, {"Infinity", ""}, {"--1", ""}, {"1e5e5", ""}, {"1e1.5", ""}, {"१", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			if canonical, ok := ParseDecimal(c.text); canonical != c.canonical || ok != (c.canonical != "") {
				t.Errorf("ParseDecimal(%q) = %q, %v; want %q", c.text, canonical, ok, c.canonical)
			}
		})
	}
}

func TestNumbersOfUpTo400DigitsAreWrittenWithoutExponent(t *testing.T) {
	for _, c := range []struct{ literal, text string }{
		{"12.50", "12.50"}, {"-0", "-0"}, {"1e+05", "100000"}, {"1.25E-2", "0.0125"}, {"12345678901234567890", "12345678901234567890"},
		{"1e308", "1" + strings.Repeat("0", 308)}, {"1e400", ""}, {"1e-999999999", ""},
	} {
		t.Run(c.literal, func(t *testing.T) {
			if text, ok := withoutExponent(c.literal); text != c.text || ok != (c.text != "") {
				t.Errorf("withoutExponent(%q) = %q, %v; want %q", c.literal, text, ok, c.text)
			}
		})
	}
}

// covers: spec type.coercion
func FuzzDecimal(f *testing.F) {
	for _, s := range []string{"0", "-0.00", "12.50", "+5", ".5", "1e+05", "1.50e1", "0e-9", "999999999999999", "0.123456789012345", "1e999999999", "00012.3400"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		canonical, ok := ParseDecimal(text)
		if !ok {
			return
		}
		if again, ok := ParseDecimal(canonical); !ok || again != canonical {
			t.Errorf("%q is stored as %q, but this is read as %q, %v", text, canonical, again, ok)
		}
		if len(canonical) > 32 || strings.ContainsAny(canonical, "eE+ ") {
			t.Errorf("%q is stored as %q; want at most 32 characters and no exponent, plus sign or space", text, canonical)
		}
		if len(text) > 40 {
			return // big.Rat would need too much memory for a large exponent
		}
		if i := strings.IndexAny(text, "eE"); i >= 0 && len(strings.TrimSpace(text[i:])) > 5 {
			return
		}
		sent, ok1 := new(big.Rat).SetString(strings.TrimSpace(text))
		stored, ok2 := new(big.Rat).SetString(canonical)
		if !ok1 || !ok2 || sent.Cmp(stored) != 0 {
			t.Errorf("%q is stored as %q, which is another number", text, canonical)
		}
		double, _ := stored.Float64() // SQLite compares this double
		if back, _ := new(big.Rat).SetString(strconv.FormatFloat(double, 'g', maxSignificant, 64)); back.Cmp(stored) != 0 {
			t.Errorf("%q becomes %s after a conversion to a double and back", canonical, back)
		}
	})
}

func BenchmarkParseDecimal(b *testing.B) {
	for b.Loop() {
		ParseDecimal("1234.50")
	}
}
