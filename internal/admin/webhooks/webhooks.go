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
	p := &pages{ui.Parse(files, "webhooks.html"), ui.Parse(files, "webhook.html")}
	return []ui.Page{
		{Pattern: "GET /admin/webhooks", IsForm: true, Needs: enlist.Manage, Serve: p.showAll},
		{Pattern: "GET /admin/webhooks/{webhook}", IsForm: true, Needs: enlist.Manage, Serve: p.edit},
		{Pattern: "POST /admin/webhooks/{webhook}/again", Needs: enlist.Manage, Serve: again},
		{Pattern: "POST /admin/webhooks/{webhook}/delete", Needs: enlist.Manage, Serve: p.remove},
	}
}

type pages struct{ all, webhook *ui.Template }

// eventTexts say in words when a webhook posts.
var eventTexts = map[string]string{
	"list:created":         "webhooks.list_created",
	"list:updated":         "webhooks.list_updated",
	"list:removed":         "webhooks.list_removed",
	"list:bulk_updated":    "webhooks.list_bulk_updated",
	"contact:created":      "webhooks.contact_created",
	"contact:updated":      "webhooks.contact_updated",
	"contact:removed":      "webhooks.contact_removed",
	"contact:subscribed":   "webhooks.contact_subscribed",
	"contact:unsubscribed": "webhooks.contact_unsubscribed",
	"contact:deactivated":  "webhooks.contact_deactivated",
	"contact:reactivated":  "webhooks.contact_reactivated",
	"contact:opened":       "webhooks.contact_opened",
	"contact:clicked":      "webhooks.contact_clicked",
	"contact:bounced":      "webhooks.contact_bounced",
	"contact:complained":   "webhooks.contact_complained",
	"batch:completed":      "webhooks.batch_completed",
}

// eventOf returns the value that the form has for what a webhook posts.
func eventOf(object enlist.WebhookObject, e enlist.WebhookEventType) string {
	return string(object) + ":" + string(e)
}

// formOf returns the form of a webhook.
func formOf(r *ui.Request, w *enlist.Webhook) (ui.Form, error) {
	event := ui.Input{Name: "event", Also: []string{"object"}, Label: r.Text("webhooks.when"), Kind: ui.InputChoice,
		Value: eventOf(w.Object, w.Event)}
	for _, object := range []enlist.WebhookObject{enlist.AboutContact, enlist.AboutList, enlist.AboutBatch} {
		for _, e := range enlist.WebhookEvents(object) {
			value := eventOf(object, e)
			event.Options = append(event.Options, ui.Option{Value: value, Text: r.Text(eventTexts[value])})
		}
	}
	list := ui.Input{Name: "list_id", Label: r.Text("webhooks.of"), Kind: ui.InputChoice, Value: ui.Plain(int64(w.ListID)),
		Picker: true}
	if r.Caller.Key.Lists == nil {
		list.Options = ui.Choices("0", r.Text("webhooks.all_lists"))
	}
	lists, err := r.ListOptions()
	list.Options = append(list.Options, lists...)
	return ui.Form{event, list, {Name: "url", Label: r.Text("webhooks.post_to"), Kind: ui.InputURL, Value: w.URL,
		Required: true, Most: 2048, Example: "https://shop.example.com/events"}}, err
}

// details returns a form as the service reads it.
func details(f ui.Form) []enlist.Detail {
	object, e, _ := strings.Cut(f.Value("event"), ":")
	return []enlist.Detail{ui.Text("object", object), ui.Text("event", e), ui.Text("url", f.Value("url")),
		ui.Text("list_id", f.Value("list_id"))}
}

// row is a webhook in words.
type row struct {
	enlist.Webhook
	What, Of, State string
}

func rowOf(r *ui.Request, w *enlist.Webhook, names map[enlist.ListID]string) row {
	text := row{Webhook: *w, What: r.Text(eventTexts[eventOf(w.Object, w.Event)]), Of: r.Text("webhooks.all_lists"),
		State: r.Text("webhooks.posted")}
	if w.ListID != 0 {
		text.Of = names[w.ListID]
	}
	switch {
	case w.IsFailing:
		text.State = r.Text("webhooks.stopped")
	case w.LastError != "":
		text.State = r.Text("webhooks.failed_last")
	}
	return text
}

var columns = ui.Columns[row]{
	ui.TextColumn("event", "webhooks.when", func(w *row) string { return w.What }),
	ui.TextColumn("list", "webhooks.of", func(w *row) string { return w.Of }),
	ui.TextColumn("url", "webhooks.posted_to", func(w *row) string { return w.URL }),
	ui.TextColumn("state", "webhooks.state", func(w *row) string { return w.State }),
}

type allData struct {
	ui.Table[row]
	New ui.FormCard
}

// showAll shows all webhooks, or adds one.
func (p *pages) showAll(r *ui.Request) (*ui.View, error) {
	f, err := formOf(r, &enlist.Webhook{Object: enlist.AboutContact, Event: enlist.WebhookSubscribed})
	if err != nil {
		return nil, err
	}
	page := func(problem string) (*ui.View, error) { return p.showWith(r, f, problem) }
	return r.Submit(f, page, func() (*ui.View, error) {
		id, err := r.App.Webhooks.AddWebhook(r.Context(), r.Caller, details(f))
		return ui.GoTo(path(id), r.Text("webhooks.added")), err
	})
}

func path(id enlist.WebhookID) string { return "/admin/webhooks/" + ui.Plain(int64(id)) }

// showWith shows all webhooks, and the form of a new one.
func (p *pages) showWith(r *ui.Request, f ui.Form, problem string) (*ui.View, error) {
	webhooks, err := r.App.Webhooks.SearchWebhooks(r.Context(), r.Caller, enlist.Query{})
	if err != nil {
		return nil, err
	}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	rows := make([]row, len(webhooks))
	for i := range webhooks {
		rows[i] = rowOf(r, &webhooks[i], names)
	}
	rows, find := ui.FindRows(r, rows, func(w *row) string { return w.What + "\n" + w.URL })
	d := allData{columns.Table(r, "", rows, find), ui.FormCard{Heading: r.Text("webhooks.add"), Form: f,
		Button: r.Text("webhooks.add_button"), Action: "/admin/webhooks"}}
	d.Roomy = true
	d.Cut(r)
	return &ui.View{Title: r.Text("webhooks.title"), Sub: r.Text("webhooks.about"), Place: "/admin/webhooks", Content: p.all,
		Data: d, Problem: problem}, nil
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
	Webhook      row
	Edit, Delete ui.FormCard
}

// confirmation returns the form that asks for the number of a webhook, because its waiting events are lost.
func confirmation(w *enlist.Webhook) ui.Form { return ui.Form{ui.Typed(ui.Plain(int64(w.ID)))} }

// show shows a webhook with its forms.
func (p *pages) show(r *ui.Request, w *enlist.Webhook, edit, remove ui.Form, problem string) (*ui.View, error) {
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	d := oneData{Webhook: rowOf(r, w, names),
		Edit: ui.FormCard{Heading: r.Text("webhooks.edit"), Form: edit, Button: r.Text("webhooks.save"), Action: path(w.ID)},
		Delete: ui.FormCard{Heading: r.Text("webhooks.delete"), Texts: []string{r.Text("webhooks.delete_loses")},
			Form: remove, Button: r.Text("webhooks.delete_button"), Danger: true, Action: path(w.ID) + "/delete"}}
	return &ui.View{Title: r.Text("webhooks.title_when", "event", d.Webhook.What), Sub: w.URL,
		Place: "/admin/webhooks", Content: p.webhook, Data: d,
		Problem: problem}, nil
}

// edit shows a webhook, or changes it.
func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	w, f, err := load(r)
	if err != nil {
		return nil, err
	}
	page := func(problem string) (*ui.View, error) { return p.show(r, w, f, confirmation(w), problem) }
	return r.Submit(f, page, func() (*ui.View, error) {
		_, err := r.App.Webhooks.EditWebhook(r.Context(), r.Caller, w.ID, details(f))
		return ui.GoTo(path(w.ID), r.Text("webhooks.saved")), err
	})
}

// load returns the webhook of the path with its form.
func load(r *ui.Request) (*enlist.Webhook, ui.Form, error) {
	w, err := find(r)
	if err != nil {
		return nil, nil, err
	}
	f, err := formOf(r, w)
	return w, f, err
}

// again posts the events that wait: an edit without a change does.
func again(r *ui.Request) (*ui.View, error) {
	w, err := find(r)
	if err != nil {
		return nil, err
	}
	_, err = r.App.Webhooks.EditWebhook(r.Context(), r.Caller, w.ID, nil)
	return ui.GoTo(path(w.ID), r.Text("webhooks.tried")), err
}

func (p *pages) remove(r *ui.Request) (*ui.View, error) {
	w, edit, err := load(r)
	if err != nil {
		return nil, err
	}
	f := confirmation(w)
	page := func(problem string) (*ui.View, error) { return p.show(r, w, edit, f, problem) }
	return r.Submit(f, page, func() (*ui.View, error) {
		err := r.App.Webhooks.DeleteWebhook(r.Context(), r.Caller, w.ID)
		return ui.GoTo("/admin/webhooks", r.Text("webhooks.deleted")), err
	})
}
