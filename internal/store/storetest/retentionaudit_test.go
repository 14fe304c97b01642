package storetest

import (
	"strconv"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/privacy"
)

// This file tests the removal of rows of the audit log.

// auditIsRemoved adds rows of the audit log two years ago, a month later and now. The clock of the last is that of the
// machine, because the triggers compare with it.
func auditIsRemoved(o *accountFixture) {
	now := time.Now()
	account := o.caller.Account.ID
	other := o.newCaller()
	add := func(caller *enlist.Caller, n int) {
		o.Helper()
		for range n {
			_, err := o.service.Accounts.AddFolder(o.Context(), caller, details("name", "F"+o.now.Format("20060102150405.000"), "type", accounts.FolderOfLists))
			o.must(err)
			o.now = o.now.Add(time.Second)
		}
	}
	o.now = now.AddDate(-2, 0, 0)
	add(o.caller, 3)
	add(other, 1)
	o.now = now.AddDate(-1, 0, 7)
	add(o.caller, 2)
	o.now = now
	plan := func(want int64) {
		o.Helper()
		c, err := o.service.Accounts.Operator(o.Context(), account)
		o.must(err)
		plans, err := o.service.Privacy.PlanRetention(o.Context(), c, c.Account.Retention)
		o.must(err)
		if p := plans[2]; p.Kind != enlist.RetainAudit || p.Rows != want || (want > 0) != (p.Oldest > 0) {
			o.Errorf("the plan is %+v, want %d rows", p, want)
		}
	}
	for _, days := range []int64{365, -1, 36501} {
		o.refused(o.service.Privacy.SetRetention(o.Context(), account, enlist.Retention{Audit: days}), enlist.InvalidParameters, "366 to 36500 days")
	}
	plan(0)
	o.must(o.service.Privacy.SetRetention(o.Context(), account, enlist.Retention{Audit: 400}))
	before := len(o.auditLog(account))
	want := int64(0)
	for _, r := range o.auditLog(account) {
		if r.Time < now.Unix()-400*24*3600 {
			want++ // the fixture adds rows too, whose time will be old some day
		}
	}
	plan(want)
	apply := func() int64 {
		o.Helper()
		step, done, err := o.service.Privacy.ApplyRetention(accounts.WithActor(o.Context(), enlist.Actor{Method: "enlist retention run", User: "ada@mail1"}),
			privacy.ApplyRetention{Account: account})
		o.must(err)
		if !done {
			o.Error("the removal has not ended after one step")
		}
		return step.Audit
	}
	if n := apply(); n != want || want < 3 {
		o.Errorf("%d rows were removed, want %d", n, want)
	}
	rows := o.auditLog(account)
	if len(rows) != before-int(want)+1 {
		o.Errorf("%d rows are left, want %d", len(rows), before-int(want)+1)
	}
	if r := rows[0]; r.Object != "AuditLog" || r.Method != "enlist retention run" || r.User != "ada@mail1" ||
		r.After != `{"older_than":`+strconv.FormatInt(now.Unix()-400*24*3600, 10)+`,"removed_rows":`+strconv.FormatInt(want, 10)+"}" {
		o.Errorf("the row about the removal is %+v", r)
	}
	if n := len(o.auditLog(other.Account.ID)); n != 1 {
		o.Errorf("another Account has %d rows, want 1", n)
	}
	plan(0)
	if n := apply(); n != 0 || len(o.auditLog(account)) != len(rows) {
		o.Errorf("a second run removed %d rows", n)
	}
	o.run("the database refuses to remove a younger row", func() {
		err := o.store.Update(o.Context(), func(tx *db.Tx) error {
			_, err := accounts.RemoveAuditRows(tx, account, now.Unix()+1, 100)
			return err
		})
		if err == nil || len(o.auditLog(account)) != len(rows) {
			o.Errorf("the error is %v, and %d rows are left of %d", err, len(o.auditLog(account)), len(rows))
		}
	})
}
