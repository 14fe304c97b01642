package admin

import (
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"enlist/internal/admin/account"
	"enlist/internal/admin/audit"
	"enlist/internal/admin/autoresponders"
	"enlist/internal/admin/backups"
	"enlist/internal/admin/contacts"
	"enlist/internal/admin/design"
	"enlist/internal/admin/forms"
	"enlist/internal/admin/home"
	"enlist/internal/admin/images"
	"enlist/internal/admin/imports"
	"enlist/internal/admin/keys"
	"enlist/internal/admin/lists"
	"enlist/internal/admin/members"
	"enlist/internal/admin/messages"
	"enlist/internal/admin/sending"
	"enlist/internal/admin/sends"
	"enlist/internal/admin/signin"
	"enlist/internal/admin/ui"
	"enlist/internal/admin/unsubscribers"
	"enlist/internal/admin/webhooks"
	"enlist/internal/admin/you"
	"enlist/internal/app"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/limiter"
	"enlist/internal/users"
)

// Prefix begins the paths of all pages.
const Prefix = "/admin/"

const (
	// maxForm is the largest form in bytes of a page that has no other limit.
	maxForm = 64 << 10
	// maxSignIn is the largest form of others.
	maxSignIn = 16 << 10
	// maxKept is the largest form that is kept during a sign-in.
	maxKept = ui.TextForm
	// strangers is the owner of the memory for forms of browsers in which no user is signed in.
	strangers = -1
	// retryAfter is the number of seconds after which a request is tried again for which too many others wait.
	retryAfter = "5"
	// formTime is the time for a browser to send a form.
	formTime = 30 * time.Second
)

// The policies of browsers. The scripts and the style of a page are files of this server, and no page has any inside. A
// page works without them. A mail, which only a frame of a page shows, runs nothing, but has its own style and images.
const (
	pagePolicy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; " +
		"frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	mailPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data: https: http:; " +
		"frame-ancestors 'self'"
)

// Options has what the pages need beside the services.
type Options struct {
	// Delay waits after a sign-in that failed, longer after more of them from the address of the request.
	Delay     func(*http.Request)
	Bodies    *limiter.Limiter // bytes of forms; nil: no limit
	Secure    bool             // browsers use HTTPS
	Version   string           // of the program
	PublicURL string           // that links to public pages begin with, without a slash at its end; "": that of each request
	Server    sending.Server
	Home      home.Server
	Log       *slog.Logger
	Texts     *language.Texts // of the pages; nil: those of the program

	SettingsPage forms.SettingsPage
}

// Handler serves the pages.
type Handler struct {
	app       *app.App
	options   Options
	protect   *http.CrossOriginProtection
	cookies   cookies
	signIn    *signin.Pages
	pages     http.ServeMux
	byPattern map[string]*ui.Page
}

// New returns a Handler.
func New(a *app.App, o Options) *Handler {
	h := &Handler{app: a, options: o, protect: http.NewCrossOriginProtection(), cookies: cookies{o.Secure},
		byPattern: make(map[string]*ui.Page)}
	if o.Texts == nil {
		h.options.Texts = language.New()
	}
	h.pages.Handle("GET /admin/assets/", ui.NewAssets())
	s := signin.New(a.Users, signin.Options{Delay: o.Delay, SetCookie: h.cookies.set, Browser: h.browser,
		Language: func(r *http.Request) *language.Language { return h.languageOf(r, nil) },
		IsSame:   h.isSame, Write: h.write})
	h.signIn = s
	h.pages.HandleFunc("GET /admin/sign-in", s.Form)
	h.pages.HandleFunc("POST /admin/sign-in", h.withForm(s.SignIn))
	h.pages.HandleFunc("POST /admin/sign-in/passkey", h.withForm(s.SignInWithPasskey))
	h.pages.HandleFunc("GET /admin/link/{text}", s.Link)
	h.pages.HandleFunc("POST /admin/link/{text}", s.UseLink)
	h.pages.HandleFunc("GET /admin/forgot", s.Forgot)
	h.pages.HandleFunc("POST /admin/forgot", s.AskPassword)
	h.pages.HandleFunc("GET "+users.PasswordPath+"{text}", s.Password)
	h.pages.HandleFunc("POST "+users.PasswordPath+"{text}", s.ResetPassword)
	h.pages.HandleFunc("GET "+users.AddressPath+"{text}", s.Address)
	h.pages.HandleFunc("POST "+users.AddressPath+"{text}", s.ConfirmAddress)
	for _, of := range [][]ui.Page{home.Pages(o.Home), sends.Pages(), lists.Pages(), contacts.Pages(), messages.Pages(),
		images.Pages(), design.Pages(), forms.Pages(o.SettingsPage), imports.Pages(), sending.Pages(o.Server),
		autoresponders.Pages(), unsubscribers.Pages(), backups.Pages(), account.Pages(), members.Pages(),
		keys.Pages(), webhooks.Pages(), audit.Pages(), you.Pages()} {
		for _, p := range of {
			h.add(p)
			if p.IsForm {
				p.Pattern = "POST" + strings.TrimPrefix(p.Pattern, "GET")
				h.add(p)
			}
		}
	}
	h.pages.HandleFunc("POST /admin/account", h.switchAccount)
	h.pages.HandleFunc("POST /admin/sign-out", h.signOut)
	h.pages.HandleFunc("POST /admin/stay", h.stay)
	h.pages.HandleFunc(Prefix, h.unknown)
	return h
}

// languageOf returns the language of a page: that of the user, or else the one that fits the browser best.
func (h *Handler) languageOf(r *http.Request, v *users.Visit) *language.Language {
	code := ""
	if v != nil {
		code = v.User.Language
	}
	return h.options.Texts.OfUsers().For(code, r.Header.Get("Accept-Language"))
}

func (h *Handler) add(p ui.Page) {
	h.byPattern[p.Pattern] = &p
	h.pages.HandleFunc(p.Pattern, func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, &p) })
}

// Pages returns the pages for users who are signed in, for tests of all of them.
func (h *Handler) Pages() []*ui.Page {
	return slices.SortedFunc(maps.Values(h.byPattern),
		func(a, b *ui.Page) int { return strings.Compare(a.Pattern, b.Pattern) })
}

// ServeHTTP serves a page.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Content-Security-Policy", pagePolicy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "same-origin")
	head.Set("X-Robots-Tag", "noindex")
	// The Back button shows what was typed all the same, and after the sign-out it shows no page: with no-cache it would.
	head.Set("Cache-Control", "no-store")
	if err := h.protect.Check(r); err != nil {
		h.problem(w, r, http.StatusForbidden, "ui.problem_other_site", nil)
		return
	}
	_, pattern := h.pages.Handler(r)
	page := h.byPattern[pattern]
	if page == nil && !(r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/admin/sign-in")) {
		r.Body = http.MaxBytesReader(w, r.Body, maxSignIn)
	}
	if page == nil || !page.Upload {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(formTime)) // a test may have no deadlines
	}
	h.pages.ServeHTTP(w, r)
}

// fail writes a page about an error.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, v *users.Visit, err error) {
	var known *enlist.Error
	switch {
	case errors.Is(err, ui.ErrNotFound), isMissing(err):
		h.problem(w, r, http.StatusNotFound, "ui.problem_no_page", v)
	case errors.Is(err, limiter.ErrBusy):
		w.Header().Set("Retry-After", retryAfter)
		h.problem(w, r, http.StatusServiceUnavailable, "ui.problem_busy_forms", v)
	case errors.Is(err, users.ErrBusy):
		w.Header().Set("Retry-After", retryAfter)
		h.problem(w, r, http.StatusServiceUnavailable, "ui.problem_busy_sign_in", v)
	case errors.As(err, &known) && known.Kind != enlist.Internal:
		h.problem(w, r, http.StatusUnprocessableEntity, known.Error(), v)
	case r.Context().Err() != nil:
	default:
		h.logFailure(r, "a page failed", err)
		h.problem(w, r, http.StatusInternalServerError, "ui.problem_failed", v)
	}
}

// logFailure logs an error, unless the browser has closed the connection: that interrupts the statement that runs.
func (h *Handler) logFailure(r *http.Request, what string, err error) {
	if r.Context().Err() == nil {
		h.options.Log.Error(what, "path", r.URL.Path, "error", err)
	}
}

// isMissing reports whether an error is about a record that does not exist, or belongs to others.
func isMissing(err error) bool {
	switch enlist.KindOf(err) {
	case enlist.NoList, enlist.NoContact, enlist.NoField, enlist.NoMessage, enlist.NoBatch, enlist.NoAutoresponder,
		enlist.Denied:
		return true
	}
	return false
}

// visit returns who is signed in. If no user is, it leads the browser to the sign-in and returns false. p is the page
// whose form the request has; nil: it has none.
func (h *Handler) visit(w http.ResponseWriter, r *http.Request, p *ui.Page) (*users.Visit, bool) {
	cookie, err := r.Cookie(h.cookies.name())
	if err == nil {
		actor := enlist.Actor{Method: r.Method + " " + r.URL.Path, Address: r.RemoteAddr}
		v, err := h.app.Users.Visit(r.Context(), cookie.Value, actor)
		if err == nil {
			if !h.app.Users.IsDevice(v.User.ID, h.cookies.deviceOf(r)) {
				h.cookies.setDevice(w, h.app.Users.NewDevice(v.User.ID))
			}
			v.Language = h.languageOf(r, v).Code
			return v, true
		}
		if !errors.Is(err, users.ErrNoSession) {
			h.logFailure(r, "a page failed", err)
			h.noDatabase(w, r, p)
			return nil, false
		}
	}
	if ui.IsFragment(r) {
		if r.Header.Get("HX-Target") == "main" { // the script loads the whole page, which leads to the sign-in
			w.Header().Set("HX-Refresh", "true")
		} // else it would lose what a user has typed into the page
		w.WriteHeader(http.StatusUnauthorized)
		return nil, false
	}
	if p != nil && r.Method == http.MethodPost && h.cookies.deviceOf(r) != "" {
		h.signInAgain(w, r, p)
		return nil, false
	}
	http.Redirect(w, r, signin.Path(r), http.StatusSeeOther)
	return nil, false
}

// noDatabase says that the database does not respond, and keeps the form of a browser in which a user was signed in.
func (h *Handler) noDatabase(w http.ResponseWriter, r *http.Request, p *ui.Page) {
	if p != nil && r.Method == http.MethodPost && !p.Upload && h.cookies.deviceOf(r) != "" {
		release, ok := h.readForm(w, r, nil, &ui.Page{MaxForm: maxKept})
		if !ok {
			return
		}
		defer release()
	}
	h.problem(w, r, http.StatusServiceUnavailable, "ui.problem_no_database", nil)
}

// signInAgain answers a form of a browser in which a user was signed in: what was typed is kept. A file, a large form and
// passwords are not.
func (h *Handler) signInAgain(w http.ResponseWriter, r *http.Request, p *ui.Page) {
	if p.Upload {
		h.signIn.AgainWithout(w, r, "signin.ended_file")
		return
	}
	if r.ContentLength > maxKept {
		h.signIn.AgainWithout(w, r, "signin.ended_large")
		return
	}
	release, ok := h.readForm(w, r, nil, &ui.Page{MaxForm: maxKept})
	if !ok {
		return
	}
	defer release()
	if ui.HasSecret(r.PostForm) {
		h.signIn.AgainWithout(w, r, "signin.ended")
		return
	}
	h.signIn.Again(w, r)
}

// withForm reads a form of the sign-in, which can have the form of another page.
func (h *Handler) withForm(then http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if release, ok := h.readForm(w, r, nil, &ui.Page{MaxForm: maxKept + maxSignIn}); ok {
			then(w, r)
			release()
		}
	}
}

// isSame reports whether the user of a session was signed in in the browser of a request before.
func (h *Handler) isSame(r *http.Request, cookie string) bool {
	v, err := h.app.Users.Visit(r.Context(), cookie, enlist.Actor{})
	return err == nil && h.app.Users.IsDevice(v.User.ID, h.cookies.deviceOf(r))
}

func (h *Handler) write(w http.ResponseWriter, r *http.Request, status int, view *ui.View, v *users.Visit) {
	view.Done = h.doneOf(r, v)
	if view.UnderWay == nil {
		u := h.underWay(r, status, v)
		view.UnderWay = &u
	}
	if err := ui.Write(w, r, status, view, h.languageOf(r, v), v); err != nil {
		h.logFailure(r, "a page failed", err)
		http.Error(w, "this page failed: the log of the server says why", http.StatusInternalServerError)
	}
}

// underWay returns what the menu of a page shows. A page without a menu needs none, and a page about a failure must not
// fail too.
func (h *Handler) underWay(r *http.Request, status int, v *users.Visit) (u app.UnderWay) {
	if v == nil || ui.IsFragment(r) || status >= http.StatusInternalServerError {
		return u
	}
	u, err := h.app.UnderWay(r.Context(), v.Caller)
	if err != nil {
		h.logFailure(r, "the menu has no counts", err)
	}
	return u
}

// unknown answers a request for a page that does not exist.
func (h *Handler) unknown(w http.ResponseWriter, r *http.Request) {
	if v, ok := h.visit(w, r, nil); ok {
		h.fail(w, r, v, ui.ErrNotFound)
	}
}

func (h *Handler) switchAccount(w http.ResponseWriter, r *http.Request) {
	v, ok := h.visit(w, r, nil)
	if !ok {
		return
	}
	id, _ := strconv.ParseInt(r.FormValue("account"), 10, 64)
	if err := h.app.Users.SwitchAccount(r.Context(), v, enlist.AccountID(id)); err != nil {
		h.fail(w, r, v, err)
		return
	}
	http.Redirect(w, r, Prefix, http.StatusSeeOther)
}

// stay keeps a session alive: each visit does.
func (h *Handler) stay(w http.ResponseWriter, r *http.Request) {
	if _, ok := h.visit(w, r, nil); ok {
		w.WriteHeader(http.StatusNoContent)
	}
}

func (h *Handler) signOut(w http.ResponseWriter, r *http.Request) {
	v, ok := h.visit(w, r, nil)
	if !ok {
		return
	}
	err := h.app.Users.EndSession(r.Context(), v, v.Session.ID)
	if err != nil && !errors.Is(err, users.ErrNoSession) {
		h.fail(w, r, v, err)
		return
	}
	h.cookies.set(w, "")
	http.Redirect(w, r, "/admin/sign-in", http.StatusSeeOther)
}
