// Package webhooks has the pages about webhooks, which post events to other programs.
package webhooks

import (
	"embed"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

//go:embed *.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(files, "webhooks.html", "form.html"), ui.Parse(files, "webhook.html", "form.html")}
	return []ui.Page{
		{Pattern: "GET /admin/webhooks", Level: enlist.Full, Serve: func(r *ui.Request) (*ui.View, error) {
			return p.showAll(r, form{Event: "contact:subscribed"})
		}},
		{Pattern: "POST /admin/webhooks", Level: enlist.Full, Serve: p.add},
		{Pattern: "GET /admin/webhooks/{webhook}", Level: enlist.Full, Serve: p.one},
		{Pattern: "POST /admin/webhooks/{webhook}", Level: enlist.Full, Serve: p.edit},
		{Pattern: "POST /admin/webhooks/{webhook}/again", Level: enlist.Full, Serve: again},
		{Pattern: "POST /admin/webhooks/{webhook}/delete", Level: enlist.Full, Serve: p.remove},
	}
}

type pages struct{ all, webhook *ui.Template }

// form has the fields of a form about a webhook.
type form struct {
	URL, Event string // Event is an object, ":" and its event
	List       enlist.ListID
	Confirm    string // the number of the webhook to delete, as it was typed

	Wrong map[string]string // what is wrong, by input
}

// event is an event in a form.
type event struct {
	Name, Text string
	Chosen     bool
}

// formData is what the template of the form needs.
type formData struct {
	form
	Events   []event
	Lists    []ui.ListChoice
	AllLists bool // the person may use all Lists
}

func newFormData(r *ui.Request, f form) (d formData, err error) {
	d = formData{form: f, AllLists: r.Caller.Key.Lists == nil}
	for _, object := range []enlist.WebhookObject{enlist.AboutContact, enlist.AboutList, enlist.AboutBatch} {
		for _, e := range enlist.WebhookEvents(object) {
			name := string(object) + ":" + string(e)
			d.Events = append(d.Events, event{name, eventText(object, e), name == f.Event})
		}
	}
	d.Lists, err = r.ListChoices([]enlist.ListID{f.List})
	return d, err
}

// contactTexts are the events that a Contact causes.
var contactTexts = map[enlist.WebhookEventType]string{enlist.WebhookSubscribed: "subscribes",
	enlist.WebhookUnsubscribed: "unsubscribes", enlist.WebhookOpened: "opens a mail",
	enlist.WebhookClicked: "clicks a link", enlist.WebhookBounced: "has a bounce",
	enlist.WebhookComplained: "reports a mail as spam"}

// eventText says in words what a webhook posts.
func eventText(object enlist.WebhookObject, e enlist.WebhookEventType) string {
	switch {
	case object == enlist.AboutBatch:
		return "a campaign is " + string(e)
	case object == enlist.AboutList:
		return "a List is " + strings.ReplaceAll(string(e), "_", " ")
	case contactTexts[e] != "":
		return "a Contact " + contactTexts[e]
	}
	return "a Contact is " + string(e)
}

// details are the form as the service reads it.
func (f form) details() []enlist.Detail {
	object, e, _ := strings.Cut(f.Event, ":")
	return []enlist.Detail{ui.Text("object", object), ui.Text("event", e), ui.Text("url", f.URL),
		ui.Text("list_id", ui.Plain(int64(f.List)))}
}

func read(r *ui.Request) form {
	return form{URL: r.FormValue("url"), Event: r.FormValue("event"), List: enlist.ListID(ui.Int(r.FormValue("list")))}
}

// refused shows what is wrong beside a field of the form, and reports whether the error is about one.
func (f *form) refused(err error) bool {
	all, _ := ui.WrongInputs(err)
	for key, what := range all {
		if f.Wrong == nil {
			f.Wrong = make(map[string]string)
		}
		switch key {
		case "event", "object":
			key = "event"
		case "list_id":
		default:
			key = "url"
		}
		f.Wrong[key] = what
	}
	return f.Wrong != nil
}

// row is a webhook in words.
type row struct {
	enlist.Webhook
	What, Of, State string
}

func rowOf(w *enlist.Webhook, names map[enlist.ListID]string) row {
	text := row{Webhook: *w, What: eventText(w.Object, w.Event), Of: "all Lists", State: "is posted"}
	if w.ListID != 0 {
		text.Of = names[w.ListID]
	}
	switch {
	case w.IsFailing:
		text.State = "has stopped after many failures; its events wait"
	case w.LastError != "":
		text.State = "failed last time, and is tried again"
	}
	return text
}

var columns = ui.Columns[row]{
	ui.TextColumn("event", "When", func(w *row) string { return w.What }),
	ui.TextColumn("list", "Of", func(w *row) string { return w.Of }),
	ui.TextColumn("url", "Posted to", func(w *row) string { return w.URL }),
	ui.TextColumn("state", "State", func(w *row) string { return w.State }),
}

type allData struct {
	formData
	Rows  []row
	Order ui.Order
	Find  ui.Find
}

func (p *pages) showAll(r *ui.Request, f form) (*ui.View, error) {
	all, err := r.App.Webhooks.SearchWebhooks(r.Context(), r.Caller, enlist.Query{})
	if err != nil {
		return nil, err
	}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	var d allData
	if d.formData, err = newFormData(r, f); err != nil {
		return nil, err
	}
	for i := range all {
		d.Rows = append(d.Rows, rowOf(&all[i], names))
	}
	d.Rows, d.Find = ui.FindRows(r.URL.Query(), d.Rows, func(w *row) string { return w.What + "\n" + w.URL })
	d.Order = columns.Sort(r.URL.Query(), "", d.Rows)
	view := &ui.View{Title: "Webhooks", Sub: "Events that are posted to other programs", Place: "Webhooks",
		Content: p.all, Data: d}
	if f.Wrong != nil {
		view.Problem = "No webhook was made."
	}
	return view, nil
}

func (p *pages) add(r *ui.Request) (*ui.View, error) {
	f := read(r)
	id, err := r.App.Webhooks.AddWebhook(r.Context(), r.Caller, f.details())
	switch {
	case f.refused(err):
		return p.showAll(r, f)
	case err != nil:
		return nil, err
	}
	return ui.GoTo("/admin/webhooks/"+ui.Plain(int64(id)),
		"The webhook is made. Give its secret to the program that receives it."), nil
}

// find returns the webhook of the path. Errors: ui.ErrNotFound.
func find(r *ui.Request) (*enlist.Webhook, error) {
	w, err := r.App.Webhooks.Webhook(r.Context(), r.Caller, enlist.WebhookID(r.ID("webhook")))
	if enlist.KindOf(err) == enlist.InvalidParameters {
		err = ui.ErrNotFound
	}
	return w, err
}

type oneData struct {
	formData
	Webhook row
}

func (p *pages) one(r *ui.Request) (*ui.View, error) { return p.show(r, nil) }

// show shows a webhook, with the values of a form that was refused, or else the stored ones.
func (p *pages) show(r *ui.Request, f *form) (*ui.View, error) {
	w, err := find(r)
	if err != nil {
		return nil, err
	}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	if f == nil {
		f = new(form)
	}
	if f.Event == "" {
		f.URL, f.Event, f.List = w.URL, string(w.Object)+":"+string(w.Event), w.ListID
	}
	d := oneData{Webhook: rowOf(w, names)}
	if d.formData, err = newFormData(r, *f); err != nil {
		return nil, err
	}
	view := &ui.View{Title: "When " + d.Webhook.What, Sub: w.URL, Place: "Webhooks", Content: p.webhook, Data: d}
	if f.Wrong != nil {
		view.Problem = "Nothing was changed."
	}
	return view, nil
}

func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	w, err := find(r)
	if err != nil {
		return nil, err
	}
	f := read(r)
	_, err = r.App.Webhooks.EditWebhook(r.Context(), r.Caller, w.ID, f.details())
	switch {
	case f.refused(err):
		return p.show(r, &f)
	case err != nil:
		return nil, err
	}
	return ui.GoTo("/admin/webhooks/"+r.PathValue("webhook"), "Saved. Events that wait go to the new address."), nil
}

// again posts the events that wait: an edit without a change does.
func again(r *ui.Request) (*ui.View, error) {
	w, err := find(r)
	if err != nil {
		return nil, err
	}
	if _, err := r.App.Webhooks.EditWebhook(r.Context(), r.Caller, w.ID, nil); err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/webhooks/"+r.PathValue("webhook"), "It is tried again now."), nil
}

// remove deletes a webhook whose number was typed, because its waiting events are lost.
func (p *pages) remove(r *ui.Request) (*ui.View, error) {
	w, err := find(r)
	if err != nil {
		return nil, err
	}
	if number := ui.Plain(int64(w.ID)); strings.TrimSpace(r.FormValue("confirm")) != number {
		return p.show(r, &form{Confirm: r.FormValue("confirm"),
			Wrong: map[string]string{"confirm": "Type the number of the webhook: " + number}})
	}
	if err := r.App.Webhooks.DeleteWebhook(r.Context(), r.Caller, w.ID); err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/webhooks", "The webhook was deleted."), nil
}
