package enlist

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// This file reads sizes such as that of the flag --memory and of the setting max-file.

// Size is a number of bytes, written as 1048576, 1024KiB or 1MiB.
type Size int64

// UnmarshalText implements encoding.TextUnmarshaler. It returns an error if the size is
// negative or does not fit into an int64.
func (s *Size) UnmarshalText(text []byte) error {
	number, factor := string(text), int64(1)
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if n, ok := strings.CutSuffix(number, unit); ok {
			number, factor = n, 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return fmt.Errorf("%q is not a size such as 1048576, 512KiB or 32MiB", text)
	}
	*s = Size(n * factor)
	return nil
}
