package rpc

import (
	"context"
	"enlist/internal/app"
	"maps"
	"slices"
	"strings"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
)

// withoutAuditRow has the methods that change something and add no row to the audit log, and why.
var withoutAuditRow = map[string]string{
	"subscribeContact":       "the consent ledger has a row",
	"resubscribeContact":     "the consent ledger has a row",
	"unsubscribeContactById": "the consent ledger has a row",
	"confirmContact":         "the consent ledger has a row",
	"unsubscribeContact":     "the consent ledger has a row",
	"deactivateContact":      "changes one Contact",
	"reactivateContact":      "changes one Contact",
	"addContacts":            "changes Contacts; the consent ledger has a row for each that it unsubscribes",
	"editContacts":           "changes Contacts",
}

// readsWithAuditRow has the methods that change nothing and add a row, because they read out the data of persons.
var readsWithAuditRow = []string{"exportPerson"}

// paramsOfAct has parameters for the methods whose goodParams change nothing.
var paramsOfAct = map[string][]string{"erasePerson": {`"unknown@example.org"`, `false`}}

// auditRows are the rows of the audit log, the newest first.
func (h *harness) auditRows(t testing.TB) (rows []accounts.AuditRow) {
	t.Helper()
	err := h.service.Accounts.AuditLog(context.WithoutCancel(t.Context()), 0, enlist.Query{SortBy: "id", Descending: true},
		func(r *accounts.AuditRow) error {
			rows = append(rows, *r)
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Each method that changes definitions adds exactly one row to the audit log, with its name, the key and the address of
// the caller. Only the methods in the lists above add none.
//
// covers: decision 103
func TestEachMethodThatWritesIsInTheAuditLog(t *testing.T) {
	t.Parallel()
	h := newHarnessWithRecords(t)
	for _, name := range slices.Sorted(maps.Keys(h.handler.methods)) {
		m := h.handler.methods[name]
		if alwaysRefused(m.summary) {
			continue
		}
		before := len(h.auditRows(t))
		h.call(t, name, actParams(name))
		rows := h.auditRows(t)
		added := rows[:len(rows)-before]
		_, without := withoutAuditRow[name]
		if m.writes && !without || slices.Contains(readsWithAuditRow, name) {
			if len(added) != 1 || added[0].Method != name || added[0].KeyID == 0 || added[0].IP == "" || added[0].Time == 0 ||
				added[0].AccountID == 0 || added[0].Object == "" {
				t.Errorf("%s added the rows %+v, want one with the method, the key and the address", name, added)
			}
		} else if len(added) > 0 {
			t.Errorf("%s added the rows %+v, want none", name, added)
		}
		if m.writes {
			h = newHarnessWithRecords(t) // the change must not affect later cases
		}
	}
	for name := range withoutAuditRow {
		if m := methods(new(app.App))[name]; m == nil || !m.writes {
			t.Errorf("withoutAuditRow has %s, which is no method that writes", name)
		}
	}
}

// actParams returns parameters with which a method changes something.
func actParams(name string) string {
	params, ok := paramsOfAct[name]
	if !ok {
		params = goodParams[name]
	}
	return strings.Join(params, ",")
}

// A call that is repeated with the same Idempotency-Key returns the same result, and has exactly one row.
//
// covers: decision 103
func TestRepeatedCallHasOneAuditRow(t *testing.T) {
	t.Parallel()
	for name, m := range methods(new(app.App)) {
		if _, without := withoutAuditRow[name]; !m.writes || without {
			continue
		}
		h := newHarnessWithRecords(t)
		before := len(h.auditRows(t))
		st := &step{verb: "POST", path: "/", proto: "HTTP/1.1", status: 200, headers: []string{"Idempotency-Key: k"},
			body: []byte(h.request(name, actParams(name)))}
		first, second := h.exchange(t, st), h.exchange(t, st)
		if first != second || !strings.Contains(first, `"error":null`) {
			t.Errorf("%s returned %s and then %s, want success with the same reply", name, first, second)
		}
		if n := len(h.auditRows(t)) - before; n != 1 {
			t.Errorf("%s has %d rows after two calls with the same Idempotency-Key, want 1", name, n)
		}
	}
}

// A call that fails adds no row.
//
// covers: decision 103
func TestFailedCallsAddNoAuditRow(t *testing.T) {
	t.Parallel()
	h := newHarnessWithRecords(t)
	before := len(h.auditRows(t))
	for _, body := range []string{
		h.request("editList", `{"id":1,"name":""}`), h.request("deleteMessage", `1`), h.request("deleteField", `1,1`),
		h.request("editList", `{"id":99,"name":"x"}`),
	} {
		if reply := h.post(t, body); !strings.Contains(reply, `"code"`) {
			t.Errorf("%s succeeded: %s", body, reply)
		}
	}
	if n := len(h.auditRows(t)); n != before {
		t.Errorf("failed calls added %d rows", n-before)
	}
}
