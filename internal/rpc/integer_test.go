package rpc

import (
	"math"
	"testing"
)

// covers: decision 7
func TestIntegers(t *testing.T) {
	good := map[string]int64{
		"0": 0, "7": 7, "-7": -7, "-0": 0, "10.0": 10, "1e+05": 100000, "1E5": 100000, "1.50e2": 150, "1500e-2": 15,
		"0e999999999999": 0, "0.000": 0, "9223372036854775807": math.MaxInt64, "-9223372036854775807": -math.MaxInt64,
		"9223372036854775808": math.MaxInt64, "-9223372036854775808": math.MinInt64, "1e400": math.MaxInt64,
		"-1e99999999999999999999": math.MinInt64, "99999999999999999999": math.MaxInt64, "100000000000000000000e-20": 1,
	}
	for text, expected := range good {
		if n, ok := parseInteger(text); !ok || n != expected {
			t.Errorf("%s is %d, %v, expected %d", text, n, ok, expected)
		}
	}
	for _, text := range []string{"", "-", "+7", " 7", "7 ", "007", "1.5", "1e-1", "15e-2", ".5", "5.", "1e", "1e+", "0x10", "seven",
		"NaN", "1_000", "1e-99999999999999999999", "٣"} {
		if n, ok := parseInteger(text); ok {
			t.Errorf("%q is read as %d", text, n)
		}
	}
}

// covers: decision 7
func TestBooleans(t *testing.T) {
	for text, expected := range map[string]bool{
		`true`: true, `false`: false, `1`: true, `0`: false, `"1"`: true, `"0"`: false, `"true"`: true, `"false"`: false,
	} {
		v, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if b, ok := v.boolean(); !ok || b != expected {
			t.Errorf("%s is %v, %v", text, b, ok)
		}
	}
	for _, text := range []string{`2`, `-1`, `"yes"`, `"TRUE"`, `null`, `[]`, `{}`, `""`, `0.5`} {
		v, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if b, ok := v.boolean(); ok {
			t.Errorf("%s is read as %v", text, b)
		}
	}
}
