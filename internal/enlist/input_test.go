package enlist

import (
	"fmt"
	"math"
	"testing"
)

// These tests show in which forms callers may send integers, booleans and omitted values.
// Parameters, criteria and details have the same rules.

// covers: spec value.placeholder, value.int
func TestIntegersMayHaveAnExponentOrAZeroFraction(t *testing.T) {
	for _, c := range []struct {
		literal string
		want    int64
	}{
		{"0", 0}, {"7", 7}, {"-7", -7}, {"-3", -3}, {"-0", 0}, {"10", 10}, {"10.0", 10}, {"1e+05", 100000}, {"1E5", 100000}, {"1E2", 100},
		{"1.50e1", 15}, {"1.50e2", 150}, {"1500e-2", 15}, {"0e999999999999", 0}, {"0.000", 0}, {"100000000000000000000e-20", 1},
		{"9223372036854775807", math.MaxInt64}, {"-9223372036854775807", -math.MaxInt64}, {"-9223372036854775808", math.MinInt64},
	} {
		t.Run(c.literal, func(t *testing.T) {
			for _, in := range []Input{literal(c.literal), text(c.literal)} {
				if n, ok := in.AsInt(); !ok || n != c.want {
					t.Errorf("%v is %d, %v; want %d", in, n, ok, c.want)
				}
			}
		})
	}
}

// covers: spec value.placeholder
func TestIntegersBeyond64BitsBecomeTheNearest64BitInteger(t *testing.T) {
	for _, c := range []struct {
		literal string
		want    int64
	}{
		{"9223372036854775808", math.MaxInt64}, {"-9223372036854775809", math.MinInt64}, {"99999999999999999999", math.MaxInt64},
		{"1e19", math.MaxInt64}, {"1e30", math.MaxInt64}, {"-1e30", math.MinInt64}, {"1e400", math.MaxInt64}, {"1e999999999", math.MaxInt64},
		{"-1e99999999999999999999", math.MinInt64},
	} {
		t.Run(c.literal, func(t *testing.T) {
			if n, ok := literal(c.literal).AsInt(); !ok || n != c.want {
				t.Errorf("got %d, %v; want %d", n, ok, c.want)
			}
		})
	}
}

// covers: spec value.placeholder, value.int
func TestOnlyWholeNumbersInJSONSyntaxAreIntegers(t *testing.T) {
	for _, s := range []string{"", "-", "+7", " 7", "7 ", "007", "07", "x", "1.5", "1e-1", "1e-9", "15e-2", ".5", ".0", "5.", "7.", "1e", "1e+",
		"0x10", "seven", "NaN", "1_000", "1e-99999999999999999999", "٣"} {
		t.Run("text "+s, func(t *testing.T) { refusesInt(t, text(s)) })
	}
	for _, in := range []Input{literal("1.5"), literal("1e-9"), flag(true), flag(false), null(), object(), array(), array(literal("1")), array(literal("1"), literal("2"))} {
		t.Run(fmt.Sprint(in), func(t *testing.T) { refusesInt(t, in) })
	}
}

func refusesInt(t *testing.T, in Input) {
	t.Helper()
	if n, ok := in.AsInt(); ok {
		t.Errorf("%v is read as %d, want a refusal", in, n)
	}
}

// covers: spec value.placeholder, value.bool
func TestBooleansAreTrueFalseOneAndZero(t *testing.T) {
	for _, c := range []struct {
		in   Input
		want bool
	}{
		{flag(true), true}, {literal("1"), true}, {literal("1.0"), true}, {text("1"), true}, {text("true"), true},
		{flag(false), false}, {literal("0"), false}, {literal("0e0"), false}, {text("0"), false}, {text("false"), false},
	} {
		t.Run(fmt.Sprint(c.in), func(t *testing.T) {
			if b, ok := c.in.AsBool(); !ok || b != c.want {
				t.Errorf("got %v, %v; want %v", b, ok, c.want)
			}
		})
	}
	for _, in := range []Input{null(), object(), array(), array(flag(true)), text(""), text("yes"), text("TRUE"), literal("2"), literal("0.5"), literal("1.5"),
		literal("-1"), literal("1e30"), literal("true")} {
		t.Run("refused "+fmt.Sprint(in), func(t *testing.T) {
			if b, ok := in.AsBool(); ok {
				t.Errorf("got %v, want a refusal", b)
			}
		})
	}
}

// covers: spec value.placeholder
func TestNullEmptyTextAndEmptyArrayAreOmitted(t *testing.T) {
	for _, c := range []struct {
		in             Input
		blank, omitted bool
	}{
		{null(), true, true}, {text(""), true, true}, {array(), false, true},
		{text(" "), false, false}, {literal("0"), false, false}, {flag(false), false, false}, {object(), false, false}, {array(null(), null()), false, false},
	} {
		t.Run(fmt.Sprint(c.in), func(t *testing.T) {
			if c.in.IsBlank() != c.blank || c.in.Omitted() != c.omitted {
				t.Errorf("IsBlank is %v, Omitted is %v; want %v, %v", c.in.IsBlank(), c.in.Omitted(), c.blank, c.omitted)
			}
		})
	}
}

// Arrays of one item may be nested. Unbox removes all of them.
//
// covers: spec value.placeholder
func TestUnboxRemovesArraysOfOneItem(t *testing.T) {
	if n, ok := array(literal("5")).Unbox().AsInt(); !ok || n != 5 {
		t.Errorf("[5] is read as %d, %v; want 5", n, ok)
	}
	if n, ok := array(array(text("5"))).Unbox().AsInt(); !ok || n != 5 {
		t.Errorf(`[["5"]] is read as %d, %v; want 5`, n, ok)
	}
	if b, ok := array(flag(true)).Unbox().AsBool(); !ok || !b {
		t.Errorf("[true] is read as %v, %v; want true", b, ok)
	}
	for _, in := range []Input{array(null()), array(array())} {
		if !in.Unbox().Omitted() {
			t.Errorf("%v: Omitted is false after Unbox, want true", in)
		}
	}
	if two := array(literal("1"), literal("2")).Unbox(); two.Kind != InputArray {
		t.Errorf("Unbox changed an array of two items to %v", two)
	}
}

// covers: spec record.types
func TestPlainDecimalsAreJSONNumbersWithoutAnExponent(t *testing.T) {
	for _, s := range []string{"0", "7", "-7", "-0", "12.50", "-0.5", "123456789012345678901234567890"} {
		t.Run(s, func(t *testing.T) {
			if !IsPlainDecimal(s) {
				t.Errorf("IsPlainDecimal(%q) is false, want true", s)
			}
		})
	}
	for _, s := range []string{"", "-", "+5", "007", "-07", "1e5", ".5", "5.", "1.2.3", " 1", "x"} {
		t.Run("refused "+s, func(t *testing.T) {
			if IsPlainDecimal(s) {
				t.Errorf("IsPlainDecimal(%q) is true, want false", s)
			}
		})
	}
}
