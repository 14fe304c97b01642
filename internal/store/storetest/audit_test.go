package storetest

import (
	"context"
	"strings"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/privacy"
)

// This file tests the audit log: acts without a call of the API, who sees the rows, and what an erasure empties.

// auditLogRules runs the tests of the audit log.
func auditLogRules(t *testing.T, e Engine) {
	runRules(t, e.Open, []accountRule{
		{"acts of the operator have the command and its user", operatorActs},
		{"a caller sees all rows of its Account and no others", auditAccess},
		{"an erasure empties the values that contain the address", auditErasure},
		{"old rows are removed by a retention, which adds a row", auditIsRemoved},
	})
}

// auditLog returns the rows of an Account, the newest first. account 0 means all rows.
func (o *accountFixture) auditLog(account enlist.AccountID) (rows []accounts.AuditRow) {
	o.Helper()
	q := enlist.Query{SortBy: "id", Descending: true}
	o.must(o.service.Accounts.AuditLog(o.Context(), account, q, func(r *accounts.AuditRow) error {
		rows = append(rows, *r)
		return nil
	}))
	return rows
}

// wantAct checks the newest row.
func (o *accountFixture) wantAct(want accounts.AuditRow) {
	o.Helper()
	rows := o.auditLog(0)
	if len(rows) == 0 {
		o.Fatal("the audit log is empty")
	}
	want.ID, want.Time = rows[0].ID, o.now.Unix()
	same(o.T, "newest row of the audit log", rows[0], want)
}

// operatorActs checks the rows of the operator's acts. The Actor is that of the context.
func operatorActs(o *accountFixture) {
	ctx := accounts.WithActor(o.Context(), enlist.Actor{Method: "enlist test", User: "ada@mail1"})
	account := o.caller.Account.ID
	row := func(account enlist.AccountID, object string, id int64, before, after string) {
		o.Helper()
		o.wantAct(accounts.AuditRow{AccountID: account, Method: "enlist test", User: "ada@mail1", Object: object,
			ObjectID: id, Before: before, After: after})
	}
	k, _, err := o.service.Accounts.AddKey(ctx, accounts.KeyDetails{Account: account, Name: "shop", Level: enlist.Standard})
	o.must(err)
	row(account, "Key", int64(k.ID), "{}", `{"level":"standard","name":"shop","rate":"default"}`)
	o.must(o.service.Accounts.RevokeKey(ctx, k.ID))
	row(account, "Key", int64(k.ID), `{"revoked_time":0}`, `{"revoked_time":1781524800}`)
	o.must(o.service.Accounts.SetContactLimit(ctx, account, 7))
	row(account, "Account", int64(account), `{"contact_limit":-1}`, `{"contact_limit":7}`)
	o.must(o.service.Sending.HoldMails(ctx, "test"))
	row(0, "Hold", 0, "{}", `{"reason":"test","time":1781524800}`)
	_, err = o.service.Sending.ReleaseMails(ctx)
	o.must(err)
	row(0, "Hold", 0, `{"reason":"test","time":1781524800}`, "{}")
	o.must(o.service.Accounts.RecordAct(ctx, "Backup", map[string]any{"file": "x"}))
	row(0, "Backup", 0, "{}", `{"file":"x"}`)
	before := len(o.auditLog(0))
	o.refused(o.service.Accounts.SetTimeZone(ctx, account, "Nowhere"), enlist.InvalidParameters, "")
	o.refused(o.service.Accounts.RevokeKey(ctx, 999), enlist.InvalidKey, "")
	if n := len(o.auditLog(0)); n != before {
		o.Errorf("refused acts added %d rows", n-before)
	}
}

// auditPage is a RowWriter that keeps the rows.
type auditPage struct{ rows []accounts.AuditRow }

func (w *auditPage) Begin(bool) error { w.rows = nil; return nil }

func (w *auditPage) Row(r *accounts.AuditRow) error {
	w.rows = append(w.rows, *r)
	return nil
}

// auditAccess checks that a caller sees all rows of its Account and no others, also in a long reply.
func auditAccess(o *accountFixture) {
	other := o.newCaller()
	list := o.addList()
	id, err := o.service.Accounts.AddFolder(o.Context(), other, details("name", "Theirs", "type", accounts.FolderOfLists))
	o.must(err)
	var w auditPage
	o.must(o.service.Accounts.SearchAuditLog(o.Context(), other, enlist.Query{}, &w))
	if len(w.rows) != 1 || w.rows[0].ObjectID != int64(id) || w.rows[0].AccountID != other.Account.ID {
		o.Errorf("another Account sees %+v, want only its Folder", w.rows)
	}
	o.refused(o.service.Accounts.SearchAuditLog(o.Context(), o.restricted(list), enlist.Query{}, &w), enlist.Denied, "")
	_, err = o.service.Accounts.CountAuditLog(o.Context(), o.restricted(list), nil)
	o.refused(err, enlist.Denied, "")
	o.update(func(tx *db.Tx) error {
		for range 1500 { // more than a reply holds in memory
			if err := accounts.AddAuditRow(tx, &accounts.AuditRow{AccountID: o.caller.Account.ID, Before: "{}", After: "{}"}); err != nil {
				return err
			}
		}
		return nil
	})
	n, err := o.service.Accounts.CountAuditLog(o.Context(), o.caller, nil)
	o.must(err)
	o.must(o.service.Accounts.SearchAuditLog(o.Context(), o.caller, enlist.Query{}, &w))
	if len(w.rows) != int(n) || n < 1500 {
		o.Errorf("a long reply has %d rows, want %d", len(w.rows), n)
	}
}

// auditErasure checks that an erasure empties the values with the address, in each spelling, and keeps the rows.
func auditErasure(o *accountFixture) {
	list := o.addList()
	o.must(o.editList(list, "on_register_address", "Ann@Example.com"))
	o.must(o.editList(list, "on_update_address", `"a&b\"c"@example.com`))
	o.must(o.editList(list, "name", "Second"))
	o.deleteByEmail(list, "ann@example.com")
	before := o.auditLog(0)
	o.erase("ann@example.com")
	o.erase(`"a&b\"c"@example.com`)
	rows := o.auditLog(0)
	if len(rows) != len(before)+2 {
		o.Fatalf("%d rows after two erasures, want 2 more than %d", len(rows), len(before))
	}
	emptied := 0
	for i, r := range rows {
		if strings.Contains(strings.ToLower(r.Before+r.After), "ann@example.com") || strings.Contains(r.After, "a&b") {
			o.Errorf("row %+v has an address", r)
		}
		if r.Before == "" && r.After == "" {
			emptied++
		} else if i >= 2 && r != before[i-2] {
			o.Errorf("row %+v changed, want %+v", r, before[i-2])
		}
	}
	if emptied != 3 {
		o.Errorf("%d rows are empty, want 3: the edits of the addresses and the deletion", emptied)
	}
	found := o.export(o.caller, "ann@example.com")[privacy.PersonAudit]
	if len(found) != 2 || strings.Contains(strings.Join(found, ""), "key_name") {
		o.Errorf("the export has the rows %q, want that of the erasure and its own, without the key", found)
	}
}

func (o *accountFixture) editList(id enlist.ListID, values ...any) error {
	_, err := o.service.Lists.EditList(context.WithoutCancel(o.Context()), o.caller, id, details(values...))
	return err
}
