package sends

import (
	"errors"
	"net/http"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the page on which a second user approves a Batch, if the Account wants it. It shows what the last page
// of a new send has shown to the first user.

// approveData is the data of the page.
type approveData struct {
	whom
	ID        enlist.BatchID
	Asked     string // who has asked, and when
	Gets      int64
	Populated bool
	Time      string
	LeftOut   []share
	Findings  []messages.Finding
	Mails     []mailLook
	Not       string // why the user cannot decide; "": the user can
	Version   string
	Refusal   ui.FormCard
	Again     bool // the user can ask again
}

// approve shows the page, or lets the Batch begin.
func (p *pages) approve(r *ui.Request) (*ui.View, error) {
	w, err := r.App.Batches.Approval(r.Context(), r.Caller, enlist.BatchID(r.ID("batch")))
	if err != nil {
		return nil, err
	}
	why := ui.Form{{Name: "why", Label: r.Text("sends.refuse_why"), Required: true, Most: 500, Autocomplete: "off"}}
	switch {
	case r.Method == http.MethodGet:
		return p.showApproval(r, w, why, "")
	case r.PostForm.Has("why"):
		page := func(problem string) (*ui.View, error) { return p.showApproval(r, w, why, problem) }
		return r.Submit(why, page, func() (*ui.View, error) {
			err := r.App.Batches.RefuseApproval(r.Context(), r.Caller, w.Batch.ID, why.Value("why"))
			return ui.GoTo(batchPath(w.Batch.ID), r.Text("sends.refused_done")), err
		})
	}
	err = r.App.Batches.Approve(r.Context(), r.Caller, w.Batch.ID, r.PostForm.Get("version"))
	if known, ok := errors.AsType[*enlist.Error](err); ok && known.Kind == enlist.InvalidParameters {
		return p.showApproval(r, w, why, r.Text("sends.approval_changed"))
	}
	return ui.GoTo(batchPath(w.Batch.ID), r.Text("sends.approved_done")), err
}

// showApproval shows the page. why is the form of a refusal.
func (p *pages) showApproval(r *ui.Request, w *batches.WaitingApproval, why ui.Form, problem string) (*ui.View, error) {
	b := &w.Batch
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	request, err := r.App.Batches.Copy(r.Context(), r.Caller, b.ID)
	if err != nil {
		return nil, err
	}
	d := approveData{ID: b.ID, Gets: b.ToSend(), Populated: b.IsPopulated, LeftOut: leftOutCounts(&b.Counts),
		Version: w.Approval.Version, Time: r.Text("sends.as_soon_as_approved"), Not: notDeciding(r, w),
		Again: w.MayAsk(r.Caller.User)}
	if w.Asked != 0 {
		d.Asked = r.Text("sends.asked_by", "name", w.ByName, "time", r.Date(w.Asked))
	}
	if b.IsScheduled {
		d.Time = r.Text("sends.in_zone", "time", r.Date(b.SendTime), "zone", r.Zone())
	}
	if d.whom, err = whomOfBatch(r, b, names); err != nil {
		return nil, err
	}
	if d.Mails, err = looksAt(r, request); err != nil {
		return nil, err
	}
	check, err := r.App.Batches.CheckBatchWithin(r.Context(), r.Caller, *request, batches.CheckLimits{Time: firstLook})
	if err == nil {
		d.Findings = check.Findings
	} else if mistakes(err) == nil {
		return nil, err
	}
	d.Refusal = ui.FormCard{Heading: r.Text("sends.refuse_title"), Form: why, Action: batchPath(b.ID) + "/approve",
		Button: r.Text("sends.refuse_button")}
	return &ui.View{Title: names.Batch(b), Sub: r.Text("sends.approval_sub"), Place: "/admin/sends", Content: p.approvePage,
		Data: d, Problem: problem}, nil
}

// notDeciding says why the user cannot decide about a Batch, or "".
func notDeciding(r *ui.Request, w *batches.WaitingApproval) string {
	switch {
	case w.ApproveAbove == 0:
		return r.Text("sends.approval_none")
	case w.State == batches.ApprovalApproved && w.Status != batches.BatchPaused:
		return r.Text("sends.approved_by", "name", w.UserName, "time", r.Date(w.Decided))
	case w.State == batches.ApprovalRefused:
		return r.Text("sends.refused_by", "name", w.UserName, "reason", w.Why)
	case w.Ended():
		return r.Text("sends.approval_over")
	case w.IsLate:
		return r.Text("sends.approval_late")
	case w.IsChanged && w.MayDecide(r.Caller.User) && !w.MayAsk(r.Caller.User):
		return r.Text("sends.approval_not_asked")
	case w.IsChanged:
		return r.Text("sends.approval_changed")
	case w.IsTaken(r.Caller.User):
		return r.Text("sends.approval_taken")
	case !w.MayDecide(r.Caller.User):
		return r.Text("sends.approval_own")
	case !w.Waits():
		return r.Text("sends.approval_soon")
	}
	return ""
}
