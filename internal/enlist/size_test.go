package enlist_test

import (
	"testing"

	"enlist/internal/enlist"
)

// A size is a number of bytes with an optional binary unit.
func TestSizeIsParsed(t *testing.T) {
	for _, c := range []struct {
		text string
		want enlist.Size
	}{
		{"0", 0}, {"1048576", 1 << 20}, {"512KiB", 512 << 10}, {"32MiB", 32 << 20}, {"2GiB", 2 << 30},
	} {
		t.Run(c.text, func(t *testing.T) {
			var got enlist.Size
			if err := got.UnmarshalText([]byte(c.text)); err != nil || got != c.want {
				t.Errorf("got %d, %v; want %d", got, err, c.want)
			}
		})
	}
	for _, text := range []string{"", "MiB", "-1", "1.5MiB", "32MB", "9223372036854775807KiB"} {
		t.Run("refuses "+text, func(t *testing.T) {
			var got enlist.Size
			if err := got.UnmarshalText([]byte(text)); err == nil {
				t.Errorf("%q was read as %d, want an error", text, got)
			}
		})
	}
}
