package httpapi_test

import (
	"strings"
	"testing"

	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/httpapi"
)

// An import whose first 100,000 rows are refused ends. One that has a good row goes on. Both keep 100,000 refused rows.
//
// covers: spec import.stops, import.results
func TestImportOfRefusedRowsEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("stores many rows: run it with \"make faults\"")
	}
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		h := importsHarness(t, e, httpapi.Options{})
		refused := strings.Repeat("x\n", 101_500)
		for n, c := range []struct{ rule, file, state, counts string }{
			{"only refused rows", "Email\n" + refused + "late@example.com\n", `"state":"failed","reason":"the first 100,000 rows were all refused`,
				`"added":0,"updated":0,"unchanged":0,"skipped":0,"refused":100000`},
			{"a good row first", "Email\nann@example.com\n" + refused, `"state":"done"`,
				`"added":1,"updated":0,"unchanged":0,"skipped":0,"refused":101500`},
		} {
			id := string(rune('1' + n))
			if status, lines := h.post(t, "standard", "/api/imports?list_id=1&follow=0", strings.NewReader(c.file)); status != 200 {
				t.Fatalf("%s: status %d, reply %q", c.rule, status, lines)
			}
			check(t, h.service.Imports.RunImport(t.Context(), enlist.ImportID(n+1)))
			_, body, err := h.get(t, "standard", "/api/imports/"+id)
			if err != nil || !strings.Contains(body, c.state) || !strings.Contains(body, c.counts) {
				t.Errorf("%s: %s, error %v", c.rule, body, err)
			}
			_, body, err = h.get(t, "standard", "/api/imports/"+id+"/results?outcome=refused")
			if rows := strings.Count(body, "\n"); err != nil || rows != 100_000 {
				t.Errorf("%s: %d refused rows are kept, error %v; want 100,000", c.rule, rows, err)
			}
		}
	})
}
