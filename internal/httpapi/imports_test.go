package httpapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/httpapi"
	"enlist/internal/imports"
	"enlist/internal/imports/sheet"

	"github.com/xuri/excelize/v2"
)

// post sends a body with a key, and returns the status and the lines of the reply.
func (h *harness) post(t *testing.T, key, path string, body io.Reader) (status int, lines []string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+path, body)
	check(t, err)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+h.keys[key])
	}
	reply, err := http.DefaultTransport.RoundTrip(r)
	check(t, err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	check(t, err)
	return reply.StatusCode, strings.Split(strings.TrimSpace(string(text)), "\n")
}

// importsHarness is a harness with keys of all levels.
func importsHarness(t *testing.T, e dbtest.Engine, o httpapi.Options) *harness {
	h := newHarness(t, e, o)
	other, err := h.service.Accounts.AddAccount(t.Context(), accounts.AccountDetails{Name: "Other", ContactLimit: enlist.NoContactLimit})
	check(t, err)
	second := h.addList(t, "Second")
	h.addKey(t, "read", h.caller.Account.ID, enlist.Read)
	h.addKey(t, "standard", h.caller.Account.ID, enlist.Standard)
	h.addKey(t, "full", h.caller.Account.ID, enlist.Full)
	h.addKey(t, "restricted", h.caller.Account.ID, enlist.Standard, second)
	h.addKey(t, "other", other.ID, enlist.Full)
	return h
}

// An upload without an end of its own length is stored. Another process may run the import while the reply follows it.
//
// covers: spec import.http, import.results
func TestImportOverHTTP(t *testing.T) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		h := importsHarness(t, e, httpapi.Options{})
		file := io.MultiReader(strings.NewReader("Email,Name\nann@example.com,Ann\n"), strings.NewReader("nope,=1+1\n"))
		status, lines := h.post(t, "standard", "/api/imports?list_id=1&follow=0&file_name=people.csv", file)
		if status != http.StatusOK || len(lines) != 2 || !strings.Contains(lines[0], `{"name":"Name","target":"Name","field_id":3}`) ||
			!strings.Contains(lines[1], `"state":"waiting"`) {
			t.Fatalf("status %d, reply %q", status, lines)
		}
		followed := make(chan string)
		go func() {
			_, body, err := h.get(t, "standard", "/api/imports/1?follow=1")
			followed <- fmt.Sprint(body, err)
		}()
		check(t, h.service.Imports.RunImport(t.Context(), 1))
		if body := <-followed; !strings.Contains(body, `"state":"done"`) || !strings.Contains(body, `"added":1,"updated":0,"unchanged":0,"skipped":0,"refused":1`) {
			t.Errorf("the progress ends with %s", body)
		}
		for path, want := range map[string]string{
			"/api/imports/1/results":                            `{"row":1,"outcome":"added","contact_id":1}`,
			"/api/imports/1/results?outcome=refused":            `{"row":2,"outcome":"refused","contact_id":0,"reason":"expected an address like name@example.com","field":"Email","value":"nope"}`,
			"/api/imports/1/results?outcome=refused&format=csv": "row,outcome,contact_id,reason,field,value\r\n2,refused,0,",
			"/api/imports":                           `"file_name":"people.csv"`,
			"/api/imports/1/results?outcome=updated": "",
		} {
			if reply, body, err := h.get(t, "standard", path); err != nil || reply.StatusCode != 200 || !strings.Contains(body, want) {
				t.Errorf("%s: error %v, reply %q, want %q", path, err, body, want)
			}
		}
	})
}

// covers: spec import.http, import.access
func TestImportOverHTTPIsRefused(t *testing.T) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		h := importsHarness(t, e, httpapi.Options{})
		check(t, h.service.Accounts.ChangeSettings(t.Context(), h.caller.Account.ID, map[string]string{"max-import": "2000"}))
		check(t, h.service.ReadSettings(t.Context()))
		const file = "Email,Town\nann@example.com,Bonn\n"
		if status, lines := h.post(t, "full", "/api/imports?list_id=1&follow=0", strings.NewReader(file)); status != 200 {
			t.Fatalf("status %d, reply %q", status, lines)
		}
		for _, c := range []struct {
			rule, key, path, body string
			status, code          int
		}{
			{"no key", "", "/api/imports?list_id=1", file, 401, 301},
			{"the level read", "read", "/api/imports?list_id=1", file, 403, 321},
			{"new Fields with the level standard", "standard", "/api/imports?list_id=1&add_fields=1", file, 403, 321},
			{"another List than those of a restriction", "restricted", "/api/imports?list_id=1", file, 403, 321},
			{"a List of another Account", "other", "/api/imports?list_id=1", file, 404, 303},
			{"no List", "full", "/api/imports", file, 400, 310},
			{"an unknown option", "full", "/api/imports?list_id=1&dryrun=1", file, 400, 310},
			{"a bad flag", "full", "/api/imports?list_id=1&dry_run=yes", file, 400, 310},
			{"a bad choice", "full", "/api/imports?list_id=1&as=friends", file, 400, 310},
			{"a mapping without a Field", "full", "/api/imports?list_id=1&map=Town", file, 400, 310},
			{"a file without addresses", "full", "/api/imports?list_id=1", "Town\nBonn\n", 400, 310},
			{"an empty file", "full", "/api/imports?list_id=1", "", 400, 310},
			{"a large file", "full", "/api/imports?list_id=1", strings.Repeat("x", 3000), 413, 310},
			{"an import that does not exist", "full", "/api/imports/99/pause", "", 404, 310},
			{"an import of another Account", "other", "/api/imports/1/cancel", "", 404, 310},
			{"an import of a List outside the restriction", "restricted", "/api/imports/1/cancel", "", 403, 321},
		} {
			t.Run(c.rule, func(t *testing.T) {
				status, lines := h.post(t, c.key, c.path, strings.NewReader(c.body))
				var refused struct {
					Error struct {
						Code    int
						Message string
					}
				}
				check(t, json.Unmarshal([]byte(lines[0]), &refused))
				if status != c.status || refused.Error.Code != c.code || refused.Error.Message == "" {
					t.Errorf("status %d, reply %q; want %d and the code %d", status, lines, c.status, c.code)
				}
			})
		}
		// The length of a streamed file is not known before its end.
		status, lines := h.post(t, "full", "/api/imports?list_id=1", io.MultiReader(strings.NewReader(strings.Repeat("x", 3000))))
		if status != http.StatusRequestEntityTooLarge {
			t.Errorf("status %d, reply %q", status, lines)
		}
		for _, action := range []string{"pause", "resume", "cancel"} {
			if status, lines := h.post(t, "standard", "/api/imports/1/"+action, nil); status != 200 || !strings.Contains(lines[0], `"id":1`) {
				t.Errorf("%s: status %d, reply %q", action, status, lines)
			}
		}
	})
}

// An upload is refused while other workbooks use the memory, and an import waits for them.
//
// covers: spec import.memory
func TestWorkbookWaitsForMemory(t *testing.T) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		h := importsHarness(t, e, httpapi.Options{})
		rows := [][]any{{"Email"}}
		for n := range 100 {
			rows = append(rows, []any{fmt.Sprintf("person%d@example.com", n)})
		}
		file := workbook(t, rows...)
		memory := sheet.NewMemory(10_000)
		h.service.Imports.SetMemory(memory)
		const path = "/api/imports?list_id=1&follow=0&file_name=people.xlsx"
		if status, lines := h.post(t, "standard", path, strings.NewReader(file)); status != http.StatusOK {
			t.Fatalf("status %d, reply %q", status, lines)
		}
		other, err := sheet.Open(strings.NewReader(file), int64(len(file)), sheet.Options{Memory: memory})
		check(t, err)
		status, lines := h.post(t, "standard", path, strings.NewReader(file))
		if status != http.StatusInsufficientStorage || !strings.Contains(lines[0], "try again") {
			t.Errorf("an upload while another workbook is read: status %d, reply %q; want 507", status, lines)
		}
		if err := h.service.Imports.RunImport(t.Context(), 1); !errors.Is(err, imports.ErrNoMemory) {
			t.Errorf("an import while another workbook is read: error %v, want %v", err, imports.ErrNoMemory)
		}
		check(t, other.Close())
		check(t, h.service.Imports.RunImport(t.Context(), 1))
		if _, body, err := h.get(t, "standard", "/api/imports/1"); err != nil || !strings.Contains(body, `"added":100,`) {
			t.Errorf("the import afterwards: %s, error %v", body, err)
		}
		h.service.Imports.SetMemory(sheet.NewMemory(5_000))
		if status, lines := h.post(t, "standard", path, strings.NewReader(file)); status != http.StatusBadRequest {
			t.Errorf("a workbook that needs more than all memory: status %d, reply %q; want 400", status, lines)
		}
	})
}

// workbook returns an .xlsx file with these rows.
func workbook(t *testing.T, rows ...[]any) string {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for i, row := range rows {
		check(t, f.SetSheetRow("Sheet1", fmt.Sprint("A", i+1), &row))
	}
	var b bytes.Buffer
	check(t, f.Write(&b))
	return b.String()
}

// smallDisk is a Store whose disk has room for 1000 bytes.
type smallDisk struct{ db.Engine }

// FreeSpace implements db.Engine.
func (smallDisk) FreeSpace() (bytes int64, known bool) { return 1000, true }

// covers: spec import.http, decision 96
func TestImportWithoutRoom(t *testing.T) {
	h := newHarnessOn(t, smallDisk{dbtest.SQLite.Own(t)}, httpapi.Options{Log: slog.New(slog.DiscardHandler)})
	h.addKey(t, "full", h.caller.Account.ID, enlist.Full)
	status, lines := h.post(t, "full", "/api/imports?list_id=1", strings.NewReader("Email\n"+strings.Repeat("ann@example.com\n", 100)))
	const want = `{"error":{"code":100,"message":"the disk of the database has room for 0 MiB, and the import needs at least 1 MiB: free some space"}}`
	if status != http.StatusInsufficientStorage || lines[0] != want {
		t.Errorf("status %d, reply %q; want 507 and %s", status, lines, want)
	}
}
