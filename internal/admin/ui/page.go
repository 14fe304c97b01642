package ui

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"enlist/internal/app"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/users"
)

// This file has pages, and how a page is written.

//go:embed layout.html form.html conditions.html form_page.html table.html style.css *.js
var files embed.FS

// Page answers requests for one path.
type Page struct {
	Pattern string                        // of a http.ServeMux, such as "GET /admin/lists/{list}"
	IsForm  bool                          // Serve also answers POST: see Request.Submit
	Needs   enlist.Right                  // of the user: the role must have all of them
	Upload  bool                          // the page reads its body with Request.Upload
	Whole   bool                          // of Upload: the page has all of the body in memory
	MaxForm int64                         // largest form in bytes; 0: 64 KiB
	File    bool                          // a GET sends a file while it reads; other GETs read in one View
	Serve   func(*Request) (*View, error) // returns no View after it has sent a file to the Writer
}

// The largest forms of pages that need more than 64 KiB.
const (
	TextForm = 1 << 20 // of texts and values
	// LargeForm is for Messages: the content has up to 2 MiB, and a form has three bytes for each that is no letter.
	LargeForm = 8 << 20
)

// Request is a request of a user who is signed in.
type Request struct {
	*http.Request
	*users.Visit
	Writer    http.ResponseWriter // for a page that sends a file
	App       *app.App
	Now       time.Time // in the time zone of the Account
	Language  *language.Language
	Texts     *language.Texts // in which the user can have the pages
	Version   string          // of the program
	MailDir   string          // folder into which mails are written in place of sending them; "": none
	PublicURL string          // that links to Forms and archives begin with, as those in mails do
	lists     []enlist.List
}

// View is what a page shows.
type View struct {
	Title, Sub string
	Place      string // path of the entry of the menu that the page belongs to
	Actions    []Action
	// Refresh is after how many seconds the browser loads the main part again, until the user stops it; 0: never. A
	// form into which a user types stays as it is with an id and hx-preserve.
	Refresh  int
	Problem  string // what was wrong with the request
	Content  *Template
	Data     any
	Fragment string        // block of Content that answers Request.Fragment; "": the main part of the page
	To       string        // path to which the browser goes in place of a page
	Done     string        // what the request has done, which the page at To shows
	UnderWay *app.UnderWay // what the menu shows; nil: it is not read yet
	Mail     string        // HTML of a mail, in place of a page
}

// Action is a button at the top of a page.
type Action struct {
	Text, Path string
	Main       bool // the usual next step
}

// GoTo is the View that leads the browser to another page, which shows done, if it is not "".
func GoTo(path, done string) *View { return &View{To: path, Done: done} }

// DoneParameter is the parameter of a URL with the View's Done, which package admin signs.
const DoneParameter = "done"

// Fragment reports whether the script of a page asks for a part of it. The answer is only a block of the template.
func (r *Request) Fragment() bool { return IsFragment(r.Request) }

// IsFragment is Request.Fragment for any request.
func IsFragment(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

// ErrNotFound is the error of a page for something that does not exist, or that the user may not see.
var ErrNotFound = errors.New("there is no such page, or you may not see it")

// MaySend reports whether the user may start, pause and cancel Batches.
func (r *Request) MaySend() bool { return r.Caller.May(enlist.Send) }

// MayWrite reports whether the user may write Messages.
func (r *Request) MayWrite() bool { return r.Caller.May(enlist.Write) }

// NoMail says why no mail leaves now, as a sentence, or "" if mails leave.
func (r *Request) NoMail() (string, error) {
	held, err := r.App.Sending.Held(r.Context())
	switch {
	case err != nil:
		return "", err
	case held != nil:
		return r.Text("ui.mails_held"), nil
	case r.MailDir != "":
		return r.Text("ui.mails_in_folder"), nil
	}
	return "", nil
}

// IsAlone reports whether the server has no other Account. Then what is about the whole server is about this Account.
func (r *Request) IsAlone() (bool, error) {
	n, err := r.App.Accounts.CountAccounts(r.Context())
	return n == 1, err
}

// WriteJSON sends a record to a script.
func (r *Request) WriteJSON(status int, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	r.Writer.Header().Set("Content-Type", "application/json")
	r.Writer.WriteHeader(status)
	r.Writer.Write(text) // an error means that the browser has disconnected
	return nil
}

// Text returns a text of the catalogue in the language of the request. args are names and values in turn.
func (r *Request) Text(key string, args ...any) string { return r.Language.Text(key, args...) }

// ID returns a number in the path, or 0.
func (r *Request) ID(name string) int64 {
	id, _ := strconv.ParseInt(r.PathValue(name), 10, 64)
	return id
}

// entry is an entry of the menu.
type entry struct {
	Name, Path string
	needs      enlist.Right
}

// group is a part of the menu.
type group struct {
	Heading string // "": none
	Entries []entry
}

// ofAccount are the paths of the pages about a whole Account. A user of only some Lists may not see them.
var ofAccount = []string{"/admin/look", "/admin/account", "/admin/users",
	"/admin/keys", "/admin/audit"}

// isFor reports whether the menu of a user has the entry.
func (e entry) isFor(c *enlist.Caller) bool {
	return c.May(e.needs) && (c.Key.Lists == nil || !slices.Contains(ofAccount, e.Path))
}

var menu = []group{
	{"", []entry{
		{"ui.menu_home", "/admin/", enlist.See},
		{"ui.menu_campaigns", "/admin/sends", enlist.See},
		{"ui.menu_messages", "/admin/messages", enlist.See},
		{"ui.menu_lists", "/admin/lists", enlist.See},
		{"ui.menu_contacts", "/admin/contacts", enlist.SeeContacts},
		{"ui.menu_segments", "/admin/segments", enlist.See},
		{"ui.menu_imports", "/admin/imports", enlist.SeeContacts},
		{"ui.menu_forms", "/admin/forms", enlist.See},
		{"ui.menu_autoresponders", "/admin/autoresponders", enlist.See},
	}},
	{"ui.menu_design", []entry{
		{"ui.menu_images", "/admin/images", enlist.See},
		{"ui.menu_mail_design", "/admin/look", enlist.See},
	}},
	{"ui.menu_administration", []entry{
		{"ui.menu_sending", "/admin/sending", enlist.See},
		{"ui.menu_unsubscribers", "/admin/unsubscribers", enlist.SeeContacts},
		{"ui.menu_account", "/admin/account", enlist.Administer},
		{"ui.menu_users", "/admin/users", enlist.Administer},
		{"ui.menu_keys", "/admin/keys", enlist.Administer},
		{"ui.menu_webhooks", "/admin/webhooks", enlist.Manage},
		{"ui.menu_audit", "/admin/audit", enlist.Administer},
		{"ui.menu_backups", "/admin/backups", enlist.Manage},
		{"ui.menu_you", "/admin/you", enlist.See},
	}},
}

// menuFor returns the menu of a user.
func menuFor(c *enlist.Caller) (all []group) {
	for _, g := range menu {
		g.Entries = slices.DeleteFunc(slices.Clone(g.Entries), func(e entry) bool { return !e.isFor(c) })
		all = append(all, g)
	}
	return all
}

// countsOf returns what goes on, by the paths of entries of the menu: "2 running".
func countsOf(l *language.Language, u app.UnderWay) map[string]string {
	counts := make(map[string]string)
	if u.Batches > 0 {
		counts["/admin/sends"] = l.Text("ui.menu_running", "n", u.Batches)
	}
	if u.Imports > 0 {
		counts["/admin/imports"] = l.Text("ui.menu_under_way", "n", u.Imports)
	}
	if u.Held {
		counts["/admin/sending"] = l.Text("ui.menu_held")
	}
	return counts
}

// layoutData is the data of the layout.
type layoutData struct {
	View
	*users.Visit
	AccountID enlist.AccountID
	Counts    map[string]string // of countsOf
	Menu      []group
	Reloads   bool   // the user has not stopped the Refresh
	Toggle    string // URL that stops it, or goes on
}

// PlaceName is the key of the name of the entry of the menu that the page belongs to.
func (d *layoutData) PlaceName() string {
	for _, g := range menu {
		for _, e := range g.Entries {
			if e.Path == d.Place {
				return e.Name
			}
		}
	}
	return "ui.menu"
}

// refresh lets the browser load the page again. The user can stop it: a screen reader would begin anew each time.
func (d *layoutData) refresh(u *url.URL) {
	query := u.Query()
	query.Del(DoneParameter)
	d.Reloads = !query.Has("still")
	if d.Reloads {
		query.Set("still", "1")
	} else {
		query.Del("still")
	}
	d.Toggle = u.Path
	if len(query) > 0 {
		d.Toggle += "?" + query.Encode()
	}
}

// Write writes a page in a language. v is nil without a user who is signed in.
func Write(w http.ResponseWriter, r *http.Request, status int, view *View, in *language.Language, v *users.Visit) error {
	d := layoutData{View: *view, Visit: v}
	if v != nil {
		d.AccountID, d.Menu = v.Caller.Account.ID, menuFor(v.Caller)
		d.Counts = countsOf(in, *view.UnderWay)
	}
	if view.Refresh > 0 {
		d.refresh(r.URL)
	}
	block, data := "layout", any(&d)
	switch {
	case !IsFragment(r):
	case view.Fragment != "":
		block, data = view.Fragment, view.Data
	default:
		block = "main"
	}
	var b bytes.Buffer
	if err := view.Content.in(in).ExecuteTemplate(&b, block, data); err != nil {
		return err
	}
	text := bytes.TrimSpace(b.Bytes())
	if v != nil && len(v.Accounts) > 1 {
		text = withAccount(text, v.Caller.Account.ID)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Vary", "Accept-Encoding, Accept-Language, HX-Request")
	if !acceptsGzip(r) {
		w.WriteHeader(status)
		w.Write(text) // an error means that the client has disconnected
		return nil
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	packed := packers.Get().(*gzip.Writer)
	packed.Reset(w)
	packed.Write(text)
	packed.Close()
	packers.Put(packed)
	return nil
}

// packers keeps the writers of pages for the next ones, since each needs 0.8 MB.
var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return w
}}
