package postgres

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"enlist/internal/db/pgtest"
	"enlist/internal/enlist"
)

// Open creates pg_trgm. If its role may not create the extension, Open logs that once, and searches work
// without indexes for parts of texts.
//
// covers: decision 56
func TestOpenWorksWithoutTrigrams(t *testing.T) {
	if testing.Short() {
		t.Skip("provokes what happens seldom: run it with \"make check\"")
	}
	url := pgtest.Open(t)
	execute(t, url, "CREATE ROLE untrusted; GRANT ALL ON SCHEMA public TO untrusted")
	defer execute(t, url, "DROP OWNED BY untrusted; DROP ROLE untrusted")
	for _, c := range []struct {
		rule     string
		url      string
		existing bool // as in commands other than serve
		finds    bool
		warnings int
	}{
		{"a role that may not create the extension", url + "&role=untrusted", false, false, 1},
		{"a command other than serve creates nothing", url, true, false, 0},
		{"a role that may create the extension", url, false, true, 0},
		{"any role uses an extension that exists", url + "&role=untrusted", false, true, 0},
	} {
		t.Run(c.rule, func(t *testing.T) {
			var log bytes.Buffer
			s := openAt(t, c.url, Options{Existing: c.existing, Log: slog.New(slog.NewTextHandler(&log, nil))})
			if s.FindsParts() != c.finds || strings.Count(log.String(), "CREATE EXTENSION pg_trgm") != c.warnings {
				t.Errorf("FindsParts %t, want %t; log %q, want %d warnings", s.FindsParts(), c.finds, &log, c.warnings)
			}
			if c.finds {
				return
			}
			k := &enlist.SearchKey{Field: &enlist.Field{ID: 1}, Type: enlist.KeyText, Parts: true}
			if _, err := s.BuildIndex(t.Context(), 7, 1, k); err == nil || !strings.Contains(err.Error(), "pg_trgm") {
				t.Errorf("BuildIndex: error %v, want one that names pg_trgm", err)
			}
		})
	}
}
