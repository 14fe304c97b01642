package sheet

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// shown reads a file and returns its columns in the first line, and each row in a line of its own: its number, and its values
// or its error.
func shown(file string, o Options) string {
	r, err := Open(bytes.NewReader([]byte(file)), int64(len(file)), o)
	if err != nil {
		return err.Error()
	}
	var lines []string
	for {
		row, err := r.Next()
		if err == io.EOF {
			break
		}
		line := fmt.Sprint(row.Number, ":")
		switch {
		case err != nil:
			return strings.Join(append(lines, err.Error()), "\n")
		case row.Err != nil:
			line += " " + row.Err.Error()
		default:
			for _, v := range row.Values {
				line += fmt.Sprintf(" %#v", v)
			}
		}
		lines = append(lines, line)
	}
	if err := r.Close(); err != nil {
		return err.Error()
	}
	return strings.Join(append([]string{strings.Join(r.Columns(), " | ")}, lines...), "\n")
}

// checkShown compares what was read with the lines that are wanted.
func checkShown(t *testing.T, file string, o Options, want ...string) {
	t.Helper()
	if got := shown(file, o); got != strings.Join(want, "\n") {
		t.Errorf("read\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
