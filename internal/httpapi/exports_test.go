package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/httpapi"
	"enlist/internal/httpserver"
)

// covers: spec export.options, export.columns, export.access, decision 67
func TestExportOverHTTP(t *testing.T) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		h := newHarness(t, e, httpapi.Options{})
		h.addMany(t, 3, "x")
		other, err := h.service.Accounts.AddAccount(t.Context(), accounts.AccountDetails{Name: "Other", ContactLimit: enlist.NoContactLimit})
		check(t, err)
		second := h.addList(t, "Second")
		h.addKey(t, "standard", h.caller.Account.ID, enlist.Standard)
		h.addKey(t, "read", h.caller.Account.ID, enlist.Read)
		h.addKey(t, "restricted", h.caller.Account.ID, enlist.Standard, second)
		h.addKey(t, "other", other.ID, enlist.Full)
		check(t, h.service.Accounts.RevokeKey(t.Context(), h.addKey(t, "revoked", h.caller.Account.ID, enlist.Full)))
		for _, c := range []struct {
			rule, key, query string
			status           int
			code             int
			body             string
		}{
			{"columns and order", "standard", "list_id=1&returned_fields=Email,is_active&sort_by=id&limit=2", 200, 0, "Email,is_active\nperson2@example.com,true\nperson1@example.com,true\n"},
			{"a name with commas", "standard", "list_id=1&limit=1&returned_fields=" + url.QueryEscape(`["Note; long, \"quoted\""]`), 200, 0, "\"Note; long, \"\"quoted\"\"\"\nx\n"},
			{"criteria", "standard", "list_id=1&format=ndjson&returned_fields=id&search_criteria=" + url.QueryEscape(`[["id","greater_than",2]]`), 200, 0, "{\"id\":3}\n"},
			{"the List of a restriction", "restricted", "list_id=2&returned_fields=id", 200, 0, "id\n"},
			{"no key", "", "list_id=1", 401, 301, ""},
			{"a revoked key", "revoked", "list_id=1", 401, 300, ""},
			{"a key that is no key", "unknown", "list_id=1", 401, 301, ""},
			{"the level read", "read", "list_id=1", 403, 321, ""},
			{"another List than those of a restriction", "restricted", "list_id=1", 403, 321, ""},
			{"a List of another Account", "other", "list_id=1", 404, 303, ""},
			{"an unknown List", "standard", "list_id=99", 404, 303, ""},
			{"no List", "standard", "", 404, 303, ""},
			{"an unknown parameter", "standard", "list_id=1&colums=Email", 400, 310, ""},
			{"a parameter twice", "standard", "list_id=1&limit=1&limit=2", 400, 310, ""},
			{"an unknown column", "standard", "list_id=1&returned_fields=Emial", 400, 310, ""},
			{"criteria that are no JSON", "standard", "list_id=1&search_criteria=" + url.QueryEscape(`[["id","exactly",1]],[`), 400, 311, ""},
			{"an unknown key in criteria", "standard", "list_id=1&search_criteria=" + url.QueryEscape(`[["x","exactly",1]]`), 400, 311, ""},
			{"a bad order", "standard", "list_id=1&sort_order=up", 400, 311, ""},
			{"a bad flag", "standard", "list_id=1&gz=yes", 400, 310, ""},
			{"proof for Excel", "standard", "list_id=1&proof=1&excel=1", 400, 310, ""},
		} {
			t.Run(c.rule, func(t *testing.T) {
				reply, body, err := h.get(t, c.key, "/api/exports?"+c.query)
				check(t, err)
				var refused struct {
					Error struct {
						Code    int
						Message string
					}
				}
				if c.code != 0 {
					check(t, json.Unmarshal([]byte(body), &refused))
				}
				if reply.StatusCode != c.status || refused.Error.Code != c.code || c.code == 0 && body != c.body {
					t.Errorf("status %d: %s", reply.StatusCode, body)
				}
			})
		}
	})
}

func TestExportNamesItsFile(t *testing.T) {
	t.Parallel()
	h := newHarness(t, dbtest.SQLite, httpapi.Options{})
	h.addKey(t, "standard", h.caller.Account.ID, enlist.Standard)
	reply, body, err := h.get(t, "standard", "/api/exports?list_id=1&format=ndjson&gz=1")
	check(t, err)
	if got := reply.Header.Get("Content-Disposition"); got != "attachment; filename=list-1.ndjson.gz" || !strings.HasPrefix(body, "\x1f\x8b") {
		t.Errorf("%s: %q", got, body)
	}
}

func TestOtherMethodsAreRefused(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	mux := httpserver.NewMux()
	httpapi.New(nil, httpapi.Options{}).Routes(mux)
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/exports", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET" {
		t.Errorf("status %d", w.Code)
	}
}

// covers: spec export.complete, decision 67
func TestABrokenOffExportIsNoCompleteReply(t *testing.T) {
	t.Parallel()
	h := newHarness(t, dbtest.SQLite, httpapi.Options{FileTimeout: time.Nanosecond})
	h.addKey(t, "standard", h.caller.Account.ID, enlist.Standard)
	h.addMany(t, 2000, strings.Repeat("long ", 100))
	for _, query := range []string{"list_id=1", "list_id=1&gz=1", "list_id=1&format=ndjson&proof=1"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/api/exports?"+query, nil)
		check(t, err)
		r.Header.Set("Authorization", "Bearer "+h.keys["standard"])
		reply, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			continue // no byte was sent
		}
		body := make([]byte, 1<<20)
		for err == nil {
			_, err = reply.Body.Read(body)
		}
		reply.Body.Close()
		if err.Error() == "EOF" {
			t.Errorf("%s: the reply looks complete", query)
		}
	}
}

func TestAnInvalidKeyIsDelayed(t *testing.T) {
	t.Parallel()
	delayed := 0
	h := newHarness(t, dbtest.SQLite, httpapi.Options{Delay: func(*http.Request) { delayed++ }})
	h.keys["wrong"] = enlist.NewKeyText()
	reply, body, err := h.get(t, "wrong", "/api/exports?list_id=1")
	check(t, err)
	if reply.StatusCode != http.StatusUnauthorized || delayed != 1 || !strings.Contains(body, `"code":300`) {
		t.Errorf("status %d, delayed %d: %s", reply.StatusCode, delayed, body)
	}
}

// covers: decision 107
func TestARequestOverTheRateOfItsKeyIsRefused(t *testing.T) {
	t.Parallel()
	limit := func(reply http.Header, key *enlist.Key) error {
		if key.Level == enlist.Full {
			return nil
		}
		reply.Set("Retry-After", "7")
		return enlist.Refuse(enlist.Busy, "too many")
	}
	h := newHarness(t, dbtest.SQLite, httpapi.Options{Limit: limit})
	h.addKey(t, "full", h.caller.Account.ID, enlist.Full)
	h.addKey(t, "standard", h.caller.Account.ID, enlist.Standard)
	for _, path := range []string{"/api/exports?list_id=1", "/api/imports"} {
		if reply, body, err := h.get(t, "full", path); err != nil || reply.StatusCode != http.StatusOK {
			t.Errorf("%s within the rate: status %s, %s, error %v; want 200", path, reply.Status, body, err)
		}
		reply, body, err := h.get(t, "standard", path)
		if err != nil || reply.StatusCode != 503 || reply.Header.Get("Retry-After") != "7" || !strings.Contains(body, `"code":399`) {
			t.Errorf("%s over the rate: status %s with Retry-After %q, %s, error %v; want 503, 7 and code 399", path, reply.Status,
				reply.Header.Get("Retry-After"), body, err)
		}
	}
}
