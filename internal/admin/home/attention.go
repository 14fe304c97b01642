package home

import (
	"slices"
	"strings"

	"enlist/internal/admin/sends"
	"enlist/internal/admin/ui"
	"enlist/internal/backup"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file says what needs attention, each with what to do.

// attention is something that a person should look at.
type attention struct{ Text, Why, Path, What string }

func (d *data) need(text, why, path, what string) {
	d.Attention = append(d.Attention, attention{text, why, path, what})
}

// failedDays is for how long a send or an Import that failed needs attention.
const failedDays = 7

// attend looks for what needs attention. running are the Batches that have not ended, as Running shows them, and failed
// those that failed, with their rows.
func (d *data) attend(r *ui.Request, running, failed []batches.Batch, rows []sends.Row) error {
	held, err := r.App.Sending.Held(r.Context())
	if err != nil {
		return err
	}
	if held != nil {
		d.need(r.Text("home.all_mails_held"), held.Reason, "/admin/sending", r.Text("home.sending_health"))
	}
	for i := range running {
		if running[i].Status == batches.BatchPaused && running[i].Reason == batches.ReasonApproval {
			continue // approvals has it
		}
		if running[i].Status == batches.BatchPaused {
			why := r.Language.Said(running[i].Reason)
			if why == "" {
				why = r.Text("home.by_person")
			}
			what := "home.look_at"
			if r.MaySend() {
				what = "home.go_on_or_cancel"
			}
			d.need(r.Text("home.paused", "name", d.Running[i].Name), why, "/admin/sends/"+ui.Plain(int64(running[i].ID)), r.Text(what))
		}
	}
	for i := range failed {
		if failed[i].ActiveTime > r.Now.AddDate(0, 0, -failedDays).Unix() {
			d.need(r.Text("home.failed", "name", rows[i].Name), r.Language.Said(failed[i].Reason), "/admin/sends/"+ui.Plain(int64(failed[i].ID)),
				r.Text("home.look_at"))
		}
	}
	for _, find := range []func(*ui.Request) error{d.approvals, d.webhooks, d.imports, d.backups} {
		if err := find(r); err != nil {
			return err
		}
	}
	return nil
}

// approvals finds the Batches that wait for an approval by the user.
func (d *data) approvals(r *ui.Request) error {
	if !r.MaySend() {
		return nil
	}
	waiting, err := r.App.Batches.WaitingApprovals(r.Context(), r.Caller)
	if err != nil || len(waiting) == 0 {
		return err
	}
	names, err := r.Names()
	for i := range waiting {
		d.need(r.Text("home.approval", "name", names.Batch(&waiting[i])), r.Text("home.approval_why", "n", waiting[i].ToSend()),
			"/admin/sends/"+ui.Plain(int64(waiting[i].ID))+"/approve", r.Text("home.approval_review"))
	}
	return err
}

// webhooks finds the webhooks to which the server has stopped posting.
func (d *data) webhooks(r *ui.Request) error {
	all, err := r.App.Webhooks.SearchWebhooks(r.Context(), r.Caller, enlist.Query{Criteria: &enlist.Criteria{
		Key: "is_failing", Operator: "exactly", Value: enlist.TextInput("1")}})
	for i := range all {
		why := all[i].LastError
		if why == "" {
			why = r.Text("home.address_did_not_answer")
		}
		to, _, _ := strings.Cut(all[i].URL, "?") // programs put tokens into the query
		path, key := "/admin/webhooks/"+ui.Plain(int64(all[i].ID)), "home.events_kept"
		if !r.Caller.May(enlist.Manage) {
			path, key = "", "home.events_kept_level"
		}
		d.need(r.Text("home.not_posted", "url", to), r.Text(key, "error", r.Language.Said(why)), path, r.Text("home.look_at"))
		if i == 4 {
			break // more would hide the rest of the page
		}
	}
	return err
}

// imports finds the Imports that wait for a person.
func (d *data) imports(r *ui.Request) error {
	if !r.Caller.May(enlist.SeeContacts) {
		return nil
	}
	all, err := r.App.Imports.AllImports(r.Context(), r.Caller)
	for i := range slices.Backward(all) {
		one := &all[i]
		path := "/admin/imports/" + ui.Plain(int64(one.ID))
		switch {
		case one.State == imports.ImportPaused:
			d.need(r.Text("home.import_paused"), r.Language.Said(one.Reason), path, r.Text("home.go_on_or_cancel"))
		case one.State == imports.ImportFailed && one.StartTime > 0 && one.EndTime > r.Now.AddDate(0, 0, -failedDays).Unix():
			d.need(r.Text("home.import_failed"), r.Language.Said(one.Reason), path, r.Text("home.look_at"))
		}
	}
	return err
}

// backups finds out whether the last backup is old. Only managers and owners can do something about it.
func (d *data) backups(r *ui.Request) error {
	if !r.Caller.May(enlist.Manage) {
		return nil
	}
	last, err := backup.Last(r.Context(), r.App.DB)
	if err != nil || last == nil {
		return err // the database does not know of backups that others make
	}
	alone, err := r.IsAlone()
	switch {
	case last.Error != "" && !alone:
		d.need(r.Text("home.last_backup_failed"), "", "/admin/backups", r.Text("home.look_at"))
	case last.Error != "":
		d.need(r.Text("home.last_backup_failed"), last.Error, "/admin/backups", r.Text("home.look_at"))
	case last.IsOverdue(r.Now.Unix()):
		d.need(r.Text("home.last_backup_old"), r.Date(last.Time), "/admin/backups", r.Text("home.look_at"))
	}
	return err
}

// tracking says that there is a choice of whose opens and clicks are counted, until a user has chosen. It needs Lists.
func (d *data) tracking(r *ui.Request) {
	if r.Caller.May(enlist.Administer) && !r.Caller.Account.ChoseTracking && slices.ContainsFunc(d.Lists, func(l list) bool {
		return l.ContactCount > 0 && (l.TrackOpens || l.TrackClicks)
	}) {
		d.need(r.Text("home.tracking"), r.Text("home.tracking_law"), "/admin/account", r.Text("home.tracking_choose"))
	}
}
