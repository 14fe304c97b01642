package sends

import (
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/reports"
)

// This file has the page of a Batch of which no mail can have left: when it begins, to how many, and what can still be
// changed. Afterwards its page is the report.

// waitingData is the data of the page.
type waitingData struct {
	whom
	ID           enlist.BatchID
	Status, Kind string
	Reason       string // why the server paused the Batch
	Commands     []command
	Begins, Zone string
	Wait         int64 // seconds before it begins, and was sent to begin now; 0: it was not, or begins
	Gets         int64
	Populated    bool // all who get it are known
	LeftOut      []share
	Message      enlist.MessageID // 0: the person does not see it
	MessageName  string
	Variants     []variantRow
	Uncounted    *uncounted
	MayPeople    bool // the person may see who the people are
	MaySend      bool
	Paused       bool
	Approve      bool   // it waits for an approval
	NoMail       string // why no mail leaves now; "": mails leave
	At, Wrong    string // input of another time
}

// isWaiting reports whether no mail of a Batch can have left, and one will.
func isWaiting(b *batches.Batch) bool {
	return !b.Ended() && b.Begun == 0 && b.Status != batches.BatchSending && b.Status != batches.BatchRunning
}

func (p *pages) waiting(r *ui.Request, b *reports.BatchReport, names ui.Names, at, wrong string) (*ui.View, error) {
	d := waitingData{ID: b.ID, Reason: r.Language.Said(b.Reason), Commands: commandsOf(r, &b.Batch), Zone: r.Zone(), Gets: b.ToSend(),
		Populated: b.IsPopulated, LeftOut: leftOut(b), MayPeople: r.Caller.May(enlist.SeeContacts),
		MaySend: r.MaySend(), Paused: b.Status == batches.BatchPaused, Approve: b.Reason == batches.ReasonApproval, At: at, Wrong: wrong}
	d.Status, d.Kind = statusOf(&b.Batch)
	d.Status = r.Text(d.Status)
	d.Message, d.MessageName = b.MessageID, names.Messages[b.MessageID]
	if d.MessageName == "" {
		d.Message = 0
	}
	for i := range b.ByVariant {
		d.Variants = append(d.Variants, variantOf(r, &b.ByVariant[i], names))
	}
	var err error
	if d.Uncounted, err = uncountedOf(r, b); err != nil {
		return nil, err
	}
	if d.whom, err = whomOfBatch(r, &b.Batch, names); err != nil {
		return nil, err
	}
	if d.NoMail, err = r.NoMail(); err != nil {
		return nil, err
	}
	lists, err := r.App.Batches.CountLists(r.Context(), r.Caller, []enlist.BatchID{b.ID})
	if err != nil {
		return nil, err
	}
	if b.SendTime > r.Now.Unix() {
		d.Begins = r.Date(b.SendTime)
	} else {
		d.Wait = max(0, b.NotBefore-r.Now.Unix())
	}
	if b.LocalTime != "" {
		d.Zone = r.Text("sends.zone_of_each", "zone", d.Zone)
	}
	if d.At == "" {
		d.At = r.InputTime(max(b.SendTime, r.Now.Unix()))
	}
	view := &ui.View{Title: names.Batch(&b.Batch), Place: "/admin/sends",
		Sub: r.Text("sends.has_not_begun", "list", listsText(names, &b.Batch, lists[b.ID])), Content: p.waitingPage, Data: d}
	if wrong != "" {
		view.Problem = r.Text("sends.time_was_not_changed")
	}
	if d.MaySend {
		view.Actions = []ui.Action{{Text: r.Text("sends.copy"), Path: "/admin/sends/new?copy=" + ui.Plain(int64(b.ID))}}
	}
	const soon = 10 * time.Minute // before this, the page only reads recipients
	if !d.Paused && (!b.IsPopulated || b.SendTime < r.Now.Add(soon).Unix()) {
		view.Refresh = 10
	}
	return view, nil
}

// stop cancels a Batch that waits after its button was pressed, and leads to a new one with the same choices.
func stop(r *ui.Request, id enlist.BatchID) (*ui.View, error) {
	if err := r.App.Batches.EditBatch(r.Context(), r.Caller, id, "cancel", 0); err != nil {
		return nil, err
	}
	b, err := r.App.Batches.Batch(r.Context(), r.Caller, id)
	switch {
	case err != nil:
		return nil, err
	case b.Begun != 0: // the press came too late
		return ui.GoTo(batchPath(id), r.Text("sends.stopped_late")), nil
	}
	return ui.GoTo("/admin/sends/new?copy="+ui.Plain(int64(id)), r.Text("sends.stopped")), nil
}

// reschedule changes when a Batch begins.
func (p *pages) reschedule(r *ui.Request) (*ui.View, error) {
	if err := enlist.RequireSending(r.Caller); err != nil {
		return nil, err
	}
	report, err := r.App.Reports.BatchReport(r.Context(), r.Caller, enlist.BatchID(r.ID("batch")))
	if err != nil {
		return nil, err
	}
	typed := r.FormValue("at")
	at, ok := r.ReadTime(typed, report.SendTime)
	switch {
	case !ok:
		err = enlist.Invalid("at", r.Text("sends.choose_day_time"))
	case at < r.Now.Unix():
		err = enlist.Invalid("at", r.Text("sends.time_over"))
	default:
		err = r.App.Batches.EditBatch(r.Context(), r.Caller, report.ID, "reschedule", at)
	}
	if wrong := mistakes(err); wrong != nil && isWaiting(&report.Batch) {
		what := err.Error()
		names, err := r.Names()
		if err != nil {
			return nil, err
		}
		return p.waiting(r, report, names, typed, what)
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/sends/"+ui.Plain(int64(report.ID)), r.Text("sends.time_was_changed")), nil
}
