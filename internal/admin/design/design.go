// Package design has the page of an Account's theme: how the mails look that are made of Markdown or blocks.
package design

import (
	"embed"
	"html/template"
	"net/url"
	"strings"

	"enlist/internal/admin/images"
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

//go:embed *.html
var templates embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(templates, "design.html")}
	return []ui.Page{
		{Pattern: "GET /admin/look", Needs: enlist.See, Serve: p.edit},
		{Pattern: "POST /admin/look", MaxForm: ui.TextForm, Needs: enlist.Manage, Serve: p.edit},
		{Pattern: "GET /admin/look/mail", Needs: enlist.See, Serve: mail},
	}
}

type pages struct{ content *ui.Template }

// data is the data of the page.
type data struct {
	Card      ui.FormCard
	View      ui.Form // how the mail is shown
	Phone     bool
	HasImages bool
	MayEdit   bool
	Preview   template.URL // of the mail
}

// formOf returns the form of a Theme.
func formOf(r *ui.Request, t *messages.Theme, all []images.Image) ui.Form {
	logo := ui.Input{Name: "logo_file_id", Label: r.Text("design.logo"), Kind: ui.InputChoice, Picker: true,
		Options: ui.Choices("0", r.Text("design.no_logo"))}
	for i := range all {
		logo.Options = append(logo.Options, ui.Option{Value: ui.Plain(int64(all[i].ID)), Text: all[i].Name})
	}
	number := func(name, key string) ui.Input {
		return ui.Input{Name: name, Label: r.Text(key), Kind: ui.InputNumber}
	}
	colour := func(name, key string) ui.Input {
		return ui.Input{Name: name, Label: r.Text(key), Kind: ui.InputColour}
	}
	return ui.Fill(ui.Form{logo,
		{Name: "logo_text", Label: r.Text("design.logo_text")},
		{Kind: ui.InputRow, Parts: ui.Form{number("logo_width", "design.logo_width"), number("width", "design.width")}},
		{Kind: ui.InputRow, Parts: ui.Form{colour("accent_colour", "design.accent"), colour("text_colour", "design.text"),
			colour("card_colour", "design.card"), colour("background_colour", "design.background")}},
		{Name: "font", Label: r.Text("design.font"), Kind: ui.InputChoice, Options: ui.Choices("system",
			r.Text("design.font_system"), "arial", r.Text("design.font_arial"), "verdana", "Verdana", "georgia", "Georgia",
			"times", "Times", "courier", "Courier")},
		{Name: "imprint", Label: r.Text("design.imprint"), Kind: ui.InputArea},
	}, messages.ThemeAttributes, t)
}

// details returns what a form or a URL has of a Theme.
func details(sent url.Values) (all []enlist.Detail) {
	for i := range messages.ThemeAttributes {
		if key := messages.ThemeAttributes[i].Name; sent.Has(key) {
			all = append(all, ui.Text(key, strings.ReplaceAll(sent.Get(key), "\r\n", "\n")))
		}
	}
	return all
}

// edit shows the page, or stores the Theme. It can also only show what was typed.
func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	all, err := images.All(r)
	if err != nil {
		return nil, err
	}
	stored, err := r.App.Messages.Theme(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	form := formOf(r, stored, all)
	page := func(problem string) (*ui.View, error) { return p.view(r, stored, form, problem), nil }
	return r.Submit(form, page, func() (*ui.View, error) {
		if r.FormValue("do") == "show" {
			return page("")
		}
		err := r.App.Messages.SetTheme(r.Context(), r.Caller, form.Details())
		return ui.GoTo("/admin/look", r.Text("design.saved")), err
	})
}

// view shows the page with a form of the stored Theme, perhaps with what was typed.
func (p *pages) view(r *ui.Request, stored *messages.Theme, form ui.Form, problem string) *ui.View {
	d := &data{Card: ui.FormCard{Form: form},
		Phone: r.FormValue("frame") == "360", HasImages: len(form.In("logo_file_id").Options) > 1,
		MayEdit: r.Caller.May(enlist.Manage), Preview: "/admin/look/mail"}
	d.View = ui.Form{
		{Name: "frame", Label: r.Text("design.preview"), Kind: ui.InputChoice, Value: r.FormValue("frame"),
			Options: ui.Choices("600", r.Text("design.wide"), "360", r.Text("design.phone"))},
		{Name: "shade", Label: r.Text("design.shade"), Kind: ui.InputChoice, Value: r.FormValue("shade"),
			Options: ui.Choices("light", r.Text("design.light"), "dark", r.Text("design.dark"))}}
	if !form.IsWrong() { // or else the mail has the stored Theme, because this one cannot be shown
		query := url.Values{"shade": {r.FormValue("shade")}}
		for _, one := range form.Details() {
			query.Set(one.Key, one.Value.Text)
		}
		d.Preview += template.URL("?" + query.Encode())
	}
	return &ui.View{Title: r.Text("design.title"), Place: "/admin/look", Content: p.content, Data: d,
		Sub: r.Text("design.about"), Problem: problem}
}

// sample returns the mail with which the page shows a Theme.
func sample(r *ui.Request) []messages.Block {
	return []messages.Block{
		{Type: messages.BlockHeading, Text: r.Text("design.sample_heading")},
		{Type: messages.BlockText, Text: r.Text("design.sample_hello") + "\n\n" + r.Text("design.sample_text")},
		{Type: messages.BlockButton, Text: r.Text("design.sample_button"), Link: "https://example.com/"},
		{Type: messages.BlockColumns, Left: []messages.Block{{Type: messages.BlockHeading, Level: 3,
			Text: r.Text("design.sample_left")},
			{Type: messages.BlockText, Text: r.Text("design.sample_columns")}},
			Right: []messages.Block{{Type: messages.BlockQuote, Text: r.Text("design.sample_quote"), By: "Ada"}}},
		{Type: messages.BlockLine},
		{Type: messages.BlockText, Text: r.Text("design.sample_end")},
	}
}

// mail shows the sample alone, for the frame of the page.
func mail(r *ui.Request) (*ui.View, error) {
	m, err := r.App.Messages.PreviewTheme(r.Context(), r.Caller, details(r.Form), sample(r))
	if err != nil {
		return nil, err
	}
	return &ui.View{Mail: ui.Shade(m.HTML, r.FormValue("shade") == "dark")}, nil
}
