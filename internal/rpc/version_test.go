package rpc

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"enlist/internal/enlist"
)

// This file tests what depends on the version of the published interface that the URL names.

// The Account has 101 records of each kind, and the first List has 102 Fields.
//
// covers: spec page.limit, page.versions
func TestOlderVersionsHaveNoDefaultLimitForDefinitions(t *testing.T) {
	if testing.Short() {
		t.Skip("calls each method several times: run it with \"make check\"")
	}
	t.Parallel()
	h := newHarness(t, Options{})
	for _, add := range []struct{ method, params string }{
		{"addList", `{"name":"List %d"}`}, {"addField", `1,{"name":"Field %d","type":"text"}`},
		{"addFolder", `{"name":"Folder %d","type":"message"}`}, {"addMessage", `{"name":"Message %d","subject":"Hello","text_content":"Hi"}`},
		{"addAutoresponder", `{"list_id":%d,"message_id":1,"event_type":"subscribe"}`}, {"addBatch", `1,[{"list_id":%d}],2000000000`},
		{"uploadBase64FileData", `{"name":"%d.txt","data":"YQ=="},3`},
	} {
		calls := make([]string, 100)
		for i := range calls {
			calls[i] = h.request(add.method, fmt.Sprintf(add.params, i+1))
		}
		if reply := h.post(t, "["+strings.Join(calls, ",")+"]"); strings.Count(reply, `"error":null`) != len(calls) {
			t.Fatalf("%s: %.300s", add.method, reply)
		}
	}
	h.call(t, "addList", `{"name":"One more"}`)
	h.call(t, "addFolder", `{"name":"One more","type":"message"}`)
	h.call(t, "addMessage", `{"name":"One more","subject":"Hello"}`)
	h.call(t, "addAutoresponder", `{"list_id":101,"message_id":1,"event_type":"subscribe"}`)
	h.call(t, "addBatch", `1,[{"list_id":101}],2000000000`)
	h.call(t, "uploadBase64FileData", `{"name":"more.txt","data":"YQ=="},3`)
	for _, test := range []struct {
		query string
		all   bool
	}{
		{"", false}, {"?version=3.0", true}, {"?version=3.1", true}, {"?version=3.2", true}, {"?debug=1&version=3.2", true},
		{"?version=3.3", false}, {"?version=4", false}, {"?version=", false},
	} {
		for _, search := range []struct{ method, params string }{
			{"searchLists", `[]`}, {"searchFields", `1,[]`}, {"searchFolders", `"message",[]`},
			{"searchBatches", `[]`}, {"searchMessages", `[]`}, {"searchAutoresponders", `[]`}, {"searchFiles", `[]`},
		} {
			t.Run(search.method+test.query, func(t *testing.T) {
				for _, omitted := range []string{"", ",null", ",0"} {
					all := test.all || omitted == ",0"
					if n := h.found(t, test.query, search.method, search.params+omitted); all != (n > 100) {
						t.Errorf("%s: found %d records, want all: %v", omitted, n, all)
					}
				}
				if n := h.found(t, test.query, search.method, search.params+",7"); n != 7 {
					t.Errorf("found %d records with the limit 7", n)
				}
			})
		}
	}
}

// found calls a search on a URL with a query and returns the number of records in the reply.
func (h *harness) found(t *testing.T, query, method, params string) int {
	t.Helper()
	return len(h.callAt(t, query, method, params).Items)
}

// callAt is call on a URL with a query.
func (h *harness) callAt(t *testing.T, query, method, params string) *enlist.Input {
	t.Helper()
	body := strings.NewReader(h.request(method, params))
	resp, err := h.server.Client().Post(h.server.URL+"/rpc"+query, "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	v, err := parse(string(reply))
	if err != nil {
		t.Fatal(err)
	}
	if child(v, "error").Kind != enlist.InputNull {
		t.Fatalf("%s: %s", method, reply)
	}
	return child(v, "result")
}
