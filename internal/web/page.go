package web

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/language"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed pages/style.css
var style string

// This file writes pages from the templates in the folder pages. The templates are embedded in the
// program.

// contentPolicy returns the Content-Security-Policy of all pages, to which look.allow adds. The policy allows the style
// sheet, by its hash, and forms that are sent to this server. It forbids everything else, including
// scripts.
func contentPolicy() string {
	return "default-src 'none'; style-src " + styleHash(style) +
		"; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
}

// page is the data of a page. The templates escape all of it for HTML.
type page struct {
	Title    string         // of the browser window; render sets it
	IsOwner  bool           // the page is for the owner of the List, and in English
	Schema   *enlist.Schema // nil if the List was removed, or if the page is not about a List
	Address  string         // masked address, "" if the page shows no address
	Details  *details
	Form     *formPage
	Settings *settingsPage
	Archive  *archivePage
	Reasons  []contacts.DepartureReason // for which the page asks
	Done     bool                       // the visitor has sent the form of the page
	NoMail   bool                       // no mail of the List leaves now, so the page must not promise one
	Wanted   string                     // language of the page, such as that of the Contact; "": that of the List
	Item     any                        // what a part of the page shows
	Look     *look                      // of the Account's theme, or nil; render sets it
	Language *language.Language         // render sets it
}

// With returns the data of a part of the page.
func (p page) With(item any) page {
	p.Item = item
	return p
}

// List returns the name of the List, or "" if the List was removed.
func (p page) List() string {
	if p.Schema == nil {
		return ""
	}
	return p.Schema.List.Name
}

// Imprint returns who sends the mails of the List, if the List or the theme of the Account says it.
func (p page) Imprint() string {
	switch {
	case p.Schema != nil && p.Schema.List.Imprint != "":
		return p.Schema.List.Imprint
	case p.Look != nil:
		return p.Look.Imprint
	}
	return ""
}

// hasOwnTexts reports whether the texts of the List are in the language of the page.
func (p page) hasOwnTexts() bool {
	return p.Schema != nil && p.Schema.List.HasTextsIn(p.Wanted)
}

// Farewell returns what the List says to those that have left, or "" if it says nothing.
func (p page) Farewell() string {
	if !p.hasOwnTexts() {
		return ""
	}
	return p.Schema.List.FarewellText
}

// SettingsText returns what the List says above the settings, or "" if it says nothing.
func (p page) SettingsText() string {
	if !p.hasOwnTexts() {
		return ""
	}
	return p.Schema.List.PreferencesText
}

// Text returns a text in the language of the page, with the name of the List and the address.
func (p page) Text(key string) template.HTML {
	list := bdi(p.List())
	if p.List() == "" {
		list = p.Language.HTML("web.this_list")
	}
	return p.Language.HTML(key, "list", list, "address", bdi(p.Address))
}

// plain returns a text without markup, for an answer to a script.
func (p page) plain(key string) string {
	return p.Language.Text(key, "list", p.List(), "address", p.Address)
}

// About returns a text about the address, or about the reader if the page shows no address.
func (p page) About(key string) template.HTML {
	if p.Address == "" {
		key += "_you"
	}
	return p.Text(key)
}

// bdi returns outside text as HTML. Its direction does not change that of the text around it.
func bdi(text string) template.HTML {
	return template.HTML("<bdi>" + template.HTMLEscapeString(text) + "</bdi>")
}

// Style returns the style sheet, which every page contains.
func (page) Style() template.CSS { return template.CSS(style) }

// readPages returns the templates. The key of a template is its file name without ".html".
func readPages() map[string]*template.Template {
	const layout = "layout.html"
	pages := make(map[string]*template.Template)
	base := template.Must(template.ParseFS(pageFiles, "pages/"+layout))
	entries, err := pageFiles.ReadDir("pages")
	if err != nil {
		panic(err) // the folder is embedded
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".html"); ok && e.Name() != layout {
			pages[name] = template.Must(template.Must(base.Clone()).ParseFS(pageFiles, "pages/"+e.Name()))
		}
	}
	return pages
}

// render replies with a page. name is the name of the template. Pages are in the language of the List, or of the browser.
func (h *Handler) render(w http.ResponseWriter, r *http.Request, status int, name string, p page) {
	body := h.fill(r, name, &p)
	if p.Look != nil {
		p.Look.allow(w.Header())
	}
	w.Header().Set("Vary", "Accept-Language")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	send(w, status, body)
}

// fill returns the HTML of a page, and sets the language and the look of p.
func (h *Handler) fill(r *http.Request, name string, p *page) string {
	wanted, folder := p.Wanted, "web."
	switch {
	case p.IsOwner:
		wanted, folder = language.English, "owner."
	case p.Schema != nil:
		wanted = cmp.Or(wanted, p.Schema.List.Language)
	}
	p.Language = h.texts.For(wanted, r.Header.Get("Accept-Language"))
	p.Title = p.Language.Text(folder + name + ".title")
	if p.Schema != nil {
		p.Look = h.lookOf(r, &p.Schema.List)
	}
	var b bytes.Buffer
	if err := h.pages[name].ExecuteTemplate(&b, "layout.html", p); err != nil {
		panic(fmt.Sprintf("page %s: %v", name, err)) // the template has an error
	}
	return b.String()
}
