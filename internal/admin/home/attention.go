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
		d.need("All mails are held", held.Reason, "/admin/sending", "Sending health")
	}
	for i := range running {
		if running[i].Status == batches.BatchPaused {
			why := running[i].Reason
			if why == "" {
				why = "by a person"
			}
			d.need(d.Running[i].Name+" is paused", why, "/admin/sends/"+ui.Plain(int64(running[i].ID)),
				"Go on or cancel")
		}
	}
	for i := range failed {
		if failed[i].ActiveTime > r.Now.AddDate(0, 0, -failedDays).Unix() {
			d.need(rows[i].Name+" failed", failed[i].Reason, "/admin/sends/"+ui.Plain(int64(failed[i].ID)),
				"Look at it")
		}
	}
	for _, find := range []func(*ui.Request) error{d.webhooks, d.imports, d.backups} {
		if err := find(r); err != nil {
			return err
		}
	}
	return nil
}

// webhooks finds the webhooks to which the server has stopped posting.
func (d *data) webhooks(r *ui.Request) error {
	all, err := r.App.Webhooks.SearchWebhooks(r.Context(), r.Caller, enlist.Query{Criteria: &enlist.Criteria{
		Key: "is_failing", Operator: "exactly", Value: enlist.TextInput("1")}})
	for i := range all {
		why := all[i].LastError
		if why == "" {
			why = "the address did not answer"
		}
		to, _, _ := strings.Cut(all[i].URL, "?") // programs put tokens into the query
		why += ". They are kept: correct the receiver, and then post them again"
		path := "/admin/webhooks/" + ui.Plain(int64(all[i].ID))
		if r.Caller.Key.Level < enlist.Full {
			why, path = why+", for which a person needs the level full", ""
		}
		d.need("Events are no longer posted to "+to, why, path, "Look at it")
		if i == 4 {
			break // more would hide the rest of the page
		}
	}
	return err
}

// imports finds the Imports that wait for a person.
func (d *data) imports(r *ui.Request) error {
	if r.Caller.Key.Level < enlist.Standard {
		return nil
	}
	all, err := r.App.Imports.AllImports(r.Context(), r.Caller)
	for i := range slices.Backward(all) {
		one := &all[i]
		path := "/admin/imports/" + ui.Plain(int64(one.ID))
		switch {
		case one.State == imports.ImportPaused:
			d.need("An Import is paused", one.Reason, path, "Go on or cancel")
		case one.State == imports.ImportFailed && one.StartTime > 0 && one.EndTime > r.Now.AddDate(0, 0, -failedDays).Unix():
			d.need("An Import failed", one.Reason, path, "Look at it")
		}
	}
	return err
}

// backups finds out whether the last backup is old. Only people of level full can do something about it.
func (d *data) backups(r *ui.Request) error {
	if r.Caller.Key.Level < enlist.Full {
		return nil
	}
	last, err := backup.Last(r.Context(), r.App.DB)
	if err != nil || last == nil {
		return err // the database does not know of backups that others make
	}
	alone, err := r.IsAlone()
	switch {
	case last.Error != "" && !alone:
		d.need("The last backup failed", "", "/admin/backups", "Look at it")
	case last.Error != "":
		d.need("The last backup failed", last.Error, "/admin/backups", "Look at it")
	case last.IsOverdue(r.Now.Unix()):
		d.need("The last backup is old", r.Date(last.Time), "/admin/backups", "Look at it")
	}
	return err
}
