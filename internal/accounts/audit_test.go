package accounts_test

import (
	"strconv"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/privacy"
)

// This file tests the audit log: acts without a call of the API, who sees the rows, and what an erasure empties.

// covers: decision 103
func TestAuditLog(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "acts of the operator have the command and its user", Test: operatorActs},
		{Name: "a caller sees all rows of its Account and no others", Test: auditAccess},
		{Name: "old rows are removed by a retention, which adds a row", Test: auditIsRemoved},
	})
}

// wantAct checks the newest row.
func wantAct(o *apptest.Account, want accounts.AuditRow) {
	o.Helper()
	rows := o.AuditLog(0)
	if len(rows) == 0 {
		o.Fatal("the audit log is empty")
	}
	want.ID, want.Time = rows[0].ID, o.Now.Unix()
	apptest.Same(o.T, "newest row of the audit log", rows[0], want)
}

// operatorActs checks the rows of the operator's acts. The Actor is that of the context.
func operatorActs(o *apptest.Account) {
	ctx := accounts.WithActor(o.Context(), enlist.Actor{Method: "enlist test", User: "ada@mail1"})
	account := o.Caller.Account.ID
	row := func(account enlist.AccountID, object string, id int64, before, after string) {
		o.Helper()
		wantAct(o, accounts.AuditRow{AccountID: account, Method: "enlist test", User: "ada@mail1", Object: object,
			ObjectID: id, Before: before, After: after})
	}
	k, _, err := o.App.Accounts.AddKey(ctx, accounts.KeyDetails{Account: account, Name: "shop", Level: enlist.Standard})
	o.Must(err)
	row(account, "Key", int64(k.ID), "{}", `{"level":"standard","name":"shop","rate":"default"}`)
	o.Must(o.App.Accounts.RevokeKey(ctx, k.ID))
	row(account, "Key", int64(k.ID), `{"revoked_time":0}`, `{"revoked_time":1781524800}`)
	o.Must(o.App.Accounts.SetContactLimit(ctx, account, 7))
	row(account, "Account", int64(account), `{"contact_limit":-1}`, `{"contact_limit":7}`)
	edited := *o.Caller
	edited.Actor = enlist.Actor{Method: "enlist test", User: "ada@mail1"}
	o.Must(o.App.Accounts.EditOwnAccount(o.Context(), &edited, accounts.OwnAccountChange{Name: "Club", TimeZone: "Europe/Berlin", CountryCode: "49"}))
	row(account, "Account", int64(account), `{"name":"Account","timezone":"UTC"}`, `{"name":"Club","timezone":"Europe/Berlin"}`)
	o.Must(o.App.Sending.HoldMails(ctx, "test"))
	row(0, "Hold", 0, "{}", `{"reason":"test","time":1781524800}`)
	_, err = o.App.Sending.ReleaseMails(ctx)
	o.Must(err)
	row(0, "Hold", 0, `{"reason":"test","time":1781524800}`, "{}")
	o.Must(o.App.Accounts.RecordAct(ctx, "Backup", map[string]any{"file": "x"}))
	row(0, "Backup", 0, "{}", `{"file":"x"}`)
	list := o.AddList()
	before := len(o.AuditLog(0))
	o.Refused(o.App.Accounts.SetTimeZone(ctx, account, "Nowhere"), enlist.InvalidParameters, "")
	o.Refused(o.App.Accounts.EditOwnAccount(ctx, o.Caller, accounts.OwnAccountChange{Name: "Club", TimeZone: "Nowhere", CountryCode: "49"}), enlist.InvalidParameters, "")
	o.Refused(o.App.Accounts.EditOwnAccount(ctx, o.Caller, accounts.OwnAccountChange{Name: " ", TimeZone: "UTC", CountryCode: "49"}), enlist.InvalidParameters, "")
	o.Refused(o.App.Accounts.EditOwnAccount(ctx, o.Restricted(list), accounts.OwnAccountChange{Name: "Club", TimeZone: "UTC", CountryCode: "49"}), enlist.Denied, "")
	o.Refused(o.App.Accounts.RevokeKey(ctx, 999), enlist.InvalidKey, "")
	if n := len(o.AuditLog(0)); n != before {
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
func auditAccess(o *apptest.Account) {
	other := o.NewCaller()
	list := o.AddList()
	id, err := o.App.Accounts.AddFolder(o.Context(), other, apptest.Details("name", "Theirs", "type", accounts.FolderOfLists))
	o.Must(err)
	var w auditPage
	o.Must(o.App.Accounts.SearchAuditLog(o.Context(), other, enlist.Query{}, &w))
	if len(w.rows) != 1 || w.rows[0].ObjectID != int64(id) || w.rows[0].AccountID != other.Account.ID {
		o.Errorf("another Account sees %+v, want only its Folder", w.rows)
	}
	o.Refused(o.App.Accounts.SearchAuditLog(o.Context(), o.Restricted(list), enlist.Query{}, &w), enlist.Denied, "")
	_, err = o.App.Accounts.CountAuditLog(o.Context(), o.Restricted(list), nil)
	o.Refused(err, enlist.Denied, "")
	o.Update(func(tx *db.Tx) error {
		for range 1500 { // more than a reply holds in memory
			if err := accounts.AddAuditRow(tx, &accounts.AuditRow{AccountID: o.Caller.Account.ID, Before: "{}", After: "{}"}); err != nil {
				return err
			}
		}
		return nil
	})
	n, err := o.App.Accounts.CountAuditLog(o.Context(), o.Caller, nil)
	o.Must(err)
	o.Must(o.App.Accounts.SearchAuditLog(o.Context(), o.Caller, enlist.Query{}, &w))
	if len(w.rows) != int(n) || n < 1500 {
		o.Errorf("a long reply has %d rows, want %d", len(w.rows), n)
	}
}

// auditIsRemoved adds rows of the audit log two years ago, a month later and now. The clock of the last is that of the
// machine, because the triggers compare with it.
func auditIsRemoved(o *apptest.Account) {
	now := time.Now()
	account := o.Caller.Account.ID
	other := o.NewCaller()
	add := func(caller *enlist.Caller, n int) {
		o.Helper()
		for range n {
			_, err := o.App.Accounts.AddFolder(o.Context(), caller, apptest.Details("name", "F"+o.Now.Format("20060102150405.000"), "type", accounts.FolderOfLists))
			o.Must(err)
			o.Now = o.Now.Add(time.Second)
		}
	}
	o.Now = now.AddDate(-2, 0, 0)
	add(o.Caller, 3)
	add(other, 1)
	o.Now = now.AddDate(-1, 0, 7)
	add(o.Caller, 2)
	o.Now = now
	plan := func(want int64) {
		o.Helper()
		c, err := o.App.Accounts.Operator(o.Context(), account)
		o.Must(err)
		plans, err := o.App.Privacy.PlanRetention(o.Context(), c, c.Account.Retention)
		o.Must(err)
		if p := plans[2]; p.Kind != enlist.RetainAudit || p.Rows != want || (want > 0) != (p.Oldest > 0) {
			o.Errorf("the plan is %+v, want %d rows", p, want)
		}
	}
	for _, days := range []int64{365, -1, 36501} {
		o.Refused(o.App.Privacy.SetRetention(o.Context(), account, enlist.Retention{Audit: days}), enlist.InvalidParameters, "366 to 36500 days")
	}
	plan(0)
	o.Must(o.App.Privacy.SetRetention(o.Context(), account, enlist.Retention{Audit: 400}))
	before := len(o.AuditLog(account))
	want := int64(0)
	for _, r := range o.AuditLog(account) {
		if r.Time < now.Unix()-400*24*3600 {
			want++ // the fixture adds rows too, whose time will be old some day
		}
	}
	plan(want)
	apply := func() int64 {
		o.Helper()
		step, done, err := o.App.Privacy.ApplyRetention(accounts.WithActor(o.Context(), enlist.Actor{Method: "enlist retention run", User: "ada@mail1"}),
			privacy.ApplyRetention{Account: account})
		o.Must(err)
		if !done {
			o.Error("the removal has not ended after one step")
		}
		return step.Audit
	}
	if n := apply(); n != want || want < 3 {
		o.Errorf("%d rows were removed, want %d", n, want)
	}
	rows := o.AuditLog(account)
	if len(rows) != before-int(want)+1 {
		o.Errorf("%d rows are left, want %d", len(rows), before-int(want)+1)
	}
	if r := rows[0]; r.Object != "AuditLog" || r.Method != "enlist retention run" || r.User != "ada@mail1" ||
		r.After != `{"older_than":`+strconv.FormatInt(now.Unix()-400*24*3600, 10)+`,"removed_rows":`+strconv.FormatInt(want, 10)+"}" {
		o.Errorf("the row about the removal is %+v", r)
	}
	if n := len(o.AuditLog(other.Account.ID)); n != 1 {
		o.Errorf("another Account has %d rows, want 1", n)
	}
	plan(0)
	if n := apply(); n != 0 || len(o.AuditLog(account)) != len(rows) {
		o.Errorf("a second run removed %d rows", n)
	}
	o.Case("the database refuses to remove a younger row", func() {
		err := o.Store.Update(o.Context(), func(tx *db.Tx) error {
			_, err := accounts.RemoveAuditRows(tx, account, now.Unix()+1, 100)
			return err
		})
		if err == nil || len(o.AuditLog(account)) != len(rows) {
			o.Errorf("the error is %v, and %d rows are left of %d", err, len(o.AuditLog(account)), len(rows))
		}
	})
}
