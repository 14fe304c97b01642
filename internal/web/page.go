package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"enlist/internal/colour"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/messages"
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
	IsOwner  bool           // the page is for the owner of the List, in a language of the administration
	Schema   *enlist.Schema // nil if the List was removed, or if the page is not about a List
	Address  string         // masked address, "" if the page shows no address
	Details  *details
	Form     *formPage
	Settings *settingsPage
	Tracking *trackingPage
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
	folder := "web."
	p.Language = h.languageFor(r, p.Schema, p.Wanted)
	if p.IsOwner {
		folder, p.Language = "owner.", h.ownerLanguage(r)
	}
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

// languageFor returns the language of a page: the wanted one, or else that of its List or of the browser.
func (h *Handler) languageFor(r *http.Request, s *enlist.Schema, wanted string) *language.Language {
	if s != nil {
		wanted = cmp.Or(wanted, s.List.Language)
	}
	return h.texts.For(wanted, r.Header.Get("Accept-Language"))
}

// ownerLanguage returns the language of a page for the owner of a List, who is not signed in.
func (h *Handler) ownerLanguage(r *http.Request) *language.Language {
	return h.texts.OfUsers().For("", r.Header.Get("Accept-Language"))
}

// Themes has the themes of Accounts; messages.Service has them.
type Themes interface {
	// PageTheme returns the theme of an Account, or nil if it has set none.
	PageTheme(ctx context.Context, account enlist.AccountID) (*messages.Theme, error)
}

// look is what a page shows of the theme of an Account: logo, colour of links and buttons, font and imprint. The colours
// for texts and backgrounds are those of mails, and stay there. The rules are a second style sheet in the page, which the
// policy of the answer allows by its hash. decisions.md: 134
type look struct {
	*messages.Theme
	Style template.CSS
	Image string // relative URL of the logo; "": none
}

// The colours of style.css that are next to the colour of links and buttons.
const (
	lightGround, lightInk = "#f4f5f6", "#1d2327"
	darkSheet, darkInk    = "#1e2327", "#eceff1"
)

// lookOf returns the look of a page about a List. An error is logged, and the page has the usual look.
func (h *Handler) lookOf(r *http.Request, list *enlist.List) *look {
	t, err := h.themes.PageTheme(r.Context(), list.AccountID)
	if err != nil {
		h.logError(r, enlist.Link{DeliveryKey: enlist.DeliveryKey{List: list.ID}}, err)
	}
	if err != nil || t == nil {
		return nil
	}
	l := &look{Theme: t, Style: template.CSS(themeStyle(t))}
	if t.Logo != 0 {
		// The public URL can have a path, which the proxy removes. So the URL goes up as many folders as the page is
		// deep.
		up := strings.Repeat("../", max(0, strings.Count(r.URL.EscapedPath(), "/")-1))
		l.Image = up + strings.TrimPrefix(h.key.FilePath(t.Logo), "/")
	}
	return l
}

// themeStyle returns the rules of a theme. Each colour is parsed, so the rules have nothing else of the Account.
func themeStyle(t *messages.Theme) string {
	accent := colour.Parse(t.Accent)
	return strings.NewReplacer("$LIGHT", accent.On(colour.Parse(lightGround), colour.Parse(lightInk)).String(),
		"$DARK", accent.On(colour.Parse(darkSheet), colour.Parse(darkInk)).String(),
		"$FONT", t.FontStack(), "$CARD", colour.Parse(t.Card).String()).Replace(`
:root { --act: $LIGHT; }
@media (prefers-color-scheme: dark) { :root { --act: $DARK; } }
body { font-family: $FONT; }
.logo img { background: $CARD; }
`)
}

// allow adds the look of a page to the policy of its answer.
func (l *look) allow(header http.Header) {
	policy := strings.Replace(header.Get("Content-Security-Policy"), "style-src ",
		"style-src "+styleHash(string(l.Style))+" ", 1)
	if l.Image != "" {
		policy += "; img-src 'self'"
	}
	header.Set("Content-Security-Policy", policy)
}

// styleHash returns a style sheet as a Content-Security-Policy names it.
func styleHash(css string) string {
	sum := sha256.Sum256([]byte(css))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
