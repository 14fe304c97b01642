// Package design has the page of an Account's theme: how the mails look that are made of Markdown or blocks.
package design

import (
	"embed"
	"errors"
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
		{Pattern: "GET /admin/look", Level: enlist.Read, Serve: p.show},
		{Pattern: "POST /admin/look", MaxForm: ui.TextForm, Level: enlist.Full, Serve: p.save},
		{Pattern: "GET /admin/look/mail", Level: enlist.Read, Serve: mail},
	}
}

type pages struct{ content *ui.Template }

// input is an input with a colour.
type input struct{ Name, Label, Value, Wrong string }

// data is the data of the page.
type data struct {
	messages.Theme
	Colours     []input
	Fonts       []font
	Images      []images.Image
	MayEdit     bool
	Wrong       map[string]string // what is wrong, by input
	Phone, Dark bool
	Seen        string       // hash of the stored Theme
	Preview     template.URL // of the mail
	form        url.Values   // as it was sent
}

// Typed returns a number as it was typed, also if it is none, or else the stored one.
func (d *data) Typed(key string, stored int64) string {
	if d.form.Has(key) {
		return d.form.Get(key)
	}
	return ui.Plain(stored)
}

// font is a font in words.
type font struct{ Name, Text string }

// fonts returns messages.Fonts in words.
func fonts(r *ui.Request) []font {
	return []font{{"system", r.Text("design.font_system")}, {"arial", r.Text("design.font_arial")}, {"verdana",
		"Verdana"},
		{"georgia", "Georgia"}, {"times", "Times"}, {"courier", "Courier"}}
}

// keys are the keys of a Theme, which are also the names of the inputs.
func keys() (all []string) {
	for i := range messages.ThemeAttributes {
		all = append(all, messages.ThemeAttributes[i].Name)
	}
	return all
}

// details returns what the form has of a Theme.
func details(form url.Values) (all []enlist.Detail) {
	for _, key := range keys() {
		if form.Has(key) {
			all = append(all, ui.Text(key, strings.ReplaceAll(form.Get(key), "\r\n", "\n")))
		}
	}
	return all
}

func (p *pages) show(r *ui.Request) (*ui.View, error) {
	t, err := r.App.Messages.Theme(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	return p.view(r, &data{Theme: *t})
}

// view shows the page. A form that was sent stays in its inputs.
func (p *pages) view(r *ui.Request, d *data) (*ui.View, error) {
	var err error
	if d.Images, err = images.All(r); err != nil {
		return nil, err
	}
	stored, err := r.App.Messages.Theme(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	d.Seen, d.form = ui.SeenOf(messages.ThemeAttributes, stored), r.Form
	d.typed(r.Form)
	d.Fonts, d.MayEdit = fonts(r), r.Caller.Key.Level >= enlist.Full
	d.Phone, d.Dark = r.FormValue("frame") == "360", r.FormValue("shade") == "dark"
	query := url.Values{}
	for i := range messages.ThemeAttributes {
		a := &messages.ThemeAttributes[i]
		value := a.Get(&d.Theme)
		if value.Kind == enlist.KeyInt {
			value.Text = ui.Plain(value.Int)
		}
		query.Set(a.Name, value.Text)
	}
	query.Set("shade", r.FormValue("shade"))
	d.Preview = template.URL("/admin/look/mail?" + query.Encode())
	for _, c := range []input{{"accent_colour", r.Text("design.accent"), d.Accent, ""}, {"text_colour",
		r.Text("design.text"), d.Text, ""},
		{"card_colour", r.Text("design.card"), d.Card, ""}, {"background_colour", r.Text("design.background"),
			d.Background, ""}} {
		c.Wrong = d.Wrong[c.Name]
		d.Colours = append(d.Colours, c)
	}
	v := &ui.View{Title: r.Text("design.title"), Place: "/admin/look", Content: p.content, Data: d,
		Sub: r.Text("design.about")}
	if d.Wrong != nil {
		d.Preview = "/admin/look/mail" // of the stored theme, because this one cannot be shown
		v.Problem = r.Text("design.not_saved")
	}
	return v, nil
}

// typed puts what the form has into the Theme, also if it is wrong.
func (d *data) typed(form url.Values) {
	for key, at := range map[string]*string{"logo_text": &d.LogoText, "background_colour": &d.Background,
		"card_colour": &d.Card, "text_colour": &d.Text, "accent_colour": &d.Accent, "font": &d.Font,
		"imprint": &d.Imprint} {
		if form.Has(key) {
			*at = form.Get(key)
		}
	}
	for key, at := range map[string]*int64{"logo_file_id": (*int64)(&d.Logo), "logo_width": &d.LogoWidth,
		"width": &d.Width} {
		if form.Has(key) {
			*at = ui.Int(form.Get(key))
		}
	}
}

func (p *pages) save(r *ui.Request) (*ui.View, error) {
	if r.FormValue("do") == "show" {
		return p.show(r)
	}
	stored, err := r.App.Messages.Theme(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	if ui.Overwrites(r, messages.ThemeAttributes, stored, details(r.Form)) {
		view, err := p.view(r, &data{Theme: *stored})
		if err == nil {
			view.Problem = ui.Changed
		}
		return view, err
	}
	err = r.App.Messages.SetTheme(r.Context(), r.Caller, details(r.Form))
	if known, ok := errors.AsType[*enlist.Error](err); ok &&
		(known.Kind == enlist.InvalidParameters || known.Kind == enlist.NoFile) {
		return p.view(r, &data{Wrong: ui.Mistakes(known)})
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/look",
		r.Text("design.saved")), nil
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
