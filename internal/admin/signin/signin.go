// Package signin has the pages with which a user signs in: with a password, a passkey, or a link that works
// once.
package signin

import (
	"embed"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/users"
)

//go:embed *.html
var files embed.FS

// Options has what the pages need of package admin.
type Options struct {
	Delay     func(*http.Request) // waits after a sign-in that failed
	SetCookie func(w http.ResponseWriter, cookie string)
	Browser   func(*http.Request) users.Browser
	Language  func(*http.Request) *language.Language // of a page
	// IsSame reports whether the user of a session was signed in in the browser of a request before.
	IsSame func(r *http.Request, cookie string) bool
	Write  func(w http.ResponseWriter, r *http.Request, status int, view *ui.View, v *users.Visit)
}

// Pages are the pages.
type Pages struct {
	users      *users.Service
	options    Options
	form, link *ui.Template
}

// New returns the pages.
func New(p *users.Service, o Options) *Pages {
	return &Pages{p, o, ui.Parse(files, "signin.html"), ui.Parse(files, "link.html")}
}

// The inputs of the sign-in have names that no other form has. A form that a user sent after the session had ended is
// part of the form of the sign-in. After it, the browser sends all of it to the path of the first form, whose page does
// not see these inputs.
const (
	inputEmail    = "sign_in_email"
	inputPassword = "sign_in_password"
	inputNext     = "sign_in_next"  // path of the page that follows
	inputAgain    = "sign_in_again" // "1": the form is sent again
	inputAnswer   = "sign_in_answer"
)

// Without returns a form without the inputs of the sign-in.
func Without(form url.Values) url.Values {
	form = maps.Clone(form)
	for _, name := range []string{inputEmail, inputPassword, inputNext, inputAgain, inputAnswer} {
		form.Del(name)
	}
	return form
}

// Path is where a user signs in who then sees the page of a request.
func Path(r *http.Request) string {
	if r.Method != http.MethodGet || r.URL.Path == "/admin/" {
		return "/admin/sign-in"
	}
	return "/admin/sign-in?next=" + url.QueryEscape(r.URL.RequestURI())
}

// formData is the data of the form.
type formData struct {
	Email, Next string
	Options     string     // with which a browser signs in with a passkey; "": it cannot
	Mails       bool       // a link to another password can be mailed
	Sent        url.Values // the form that is sent again; nil: there is none
}

// Form shows the form.
func (p *Pages) Form(w http.ResponseWriter, r *http.Request) {
	p.show(w, r, http.StatusOK, "", formData{Next: r.URL.Query().Get("next")})
}

// Again shows the form to a user who sent another one after the session had ended. That one is sent again.
func (p *Pages) Again(w http.ResponseWriter, r *http.Request) {
	p.show(w, r, http.StatusUnauthorized, "signin.ended", formData{Next: r.URL.RequestURI(), Sent: Without(r.PostForm)})
}

// AgainWithout shows the form to a user who sent another one that cannot be kept: it has a file, is large, or has a
// password. problem is the key of the text that says so.
func (p *Pages) AgainWithout(w http.ResponseWriter, r *http.Request, problem string) {
	from, err := url.Parse(r.Referer())
	if err != nil {
		from = new(url.URL)
	}
	p.show(w, r, http.StatusUnauthorized, problem, formData{Next: from.RequestURI()})
}

// goOn leads a user who has signed in to the next page. The form is sent again only for the user who has sent it: the
// browser still has the mark of this user.
func (p *Pages) goOn(w http.ResponseWriter, r *http.Request, cookie string, d *formData) {
	status := http.StatusSeeOther
	if d.Sent != nil && p.options.IsSame(r, cookie) {
		status = http.StatusTemporaryRedirect
	}
	p.options.SetCookie(w, cookie)
	http.Redirect(w, r, next(d.Next), status)
}

// sent returns the form that a form of the sign-in has, or nil.
func sent(r *http.Request) url.Values {
	if r.PostFormValue(inputAgain) == "" {
		return nil
	}
	return Without(r.PostForm)
}

func (p *Pages) show(w http.ResponseWriter, r *http.Request, status int, wrong string, d formData) {
	var err error
	d.Mails = p.users.SendsMail()
	if d.Options, err = p.users.PasskeyToSignIn(r.Host); err != nil {
		d.Options = "" // the other ways go on
	}
	p.options.Write(w, r, status, &ui.View{Title: p.text(r, "signin.title"), Problem: wrong, Content: p.form, Data: d}, nil)
}

// SignIn signs a user in.
func (p *Pages) SignIn(w http.ResponseWriter, r *http.Request) {
	d := formData{Email: r.PostFormValue(inputEmail), Next: r.PostFormValue(inputNext), Sent: sent(r)}
	cookie, err := p.users.SignIn(r.Context(), d.Email, r.PostFormValue(inputPassword), p.options.Browser(r))
	switch {
	case errors.Is(err, users.ErrSignIn):
		p.options.Delay(r)
		p.show(w, r, http.StatusUnprocessableEntity, "signin.wrong", d)
	case errors.Is(err, users.ErrTooManyTries):
		p.show(w, r, http.StatusTooManyRequests,
			"signin.too_many_tries", d)
	case errors.Is(err, users.ErrBusy):
		w.Header().Set("Retry-After", "5")
		p.show(w, r, http.StatusServiceUnavailable, "signin.busy", d)
	case err != nil:
		p.fail(w, r)
	default:
		p.goOn(w, r, cookie, &d)
	}
}

// SignInWithPasskey signs a user in whose browser has a passkey.
func (p *Pages) SignInWithPasskey(w http.ResponseWriter, r *http.Request) {
	d := formData{Next: r.PostFormValue(inputNext), Sent: sent(r)}
	cookie, err := p.users.SignInWithPasskey(r.Context(), r.Host, r.PostFormValue(inputAnswer), p.options.Browser(r))
	switch {
	case errors.Is(err, users.ErrPasskey) || users.IsLinkError(err): // or the user has no Account any more
		p.options.Delay(r)
		p.show(w, r, http.StatusUnprocessableEntity,
			"signin.wrong_passkey", d)
	case err != nil:
		p.fail(w, r)
	default:
		p.goOn(w, r, cookie, &d)
	}
}

// next returns a path of these pages, and no address of another site. A browser resolves ".." and "%2e%2e", and reads
// /\example.com as the address of a site.
func next(path string) string {
	u, err := url.Parse(path)
	if err == nil && u.Host == "" && strings.HasPrefix(u.Path, "/admin/") && strings.HasPrefix(path, "/admin/") &&
		!strings.Contains(u.Path, "..") && !strings.Contains(u.Path, `\`) {
		return path
	}
	return "/admin/"
}

func (p *Pages) fail(w http.ResponseWriter, r *http.Request) {
	p.show(w, r, http.StatusServiceUnavailable, "signin.no_database", formData{})
}

// linkData is the data of the page of a link.
type linkData struct {
	Valid bool
	Mails bool // a link to another password can be mailed
	Card  ui.FormCard
}

// Link shows the page of a link, whose button signs in.
func (p *Pages) Link(w http.ResponseWriter, r *http.Request) {
	user, err := p.users.UserOfLink(r.Context(), r.PathValue("text"))
	switch {
	case users.IsLinkError(err):
		p.showBadLink(w, r)
	case err != nil:
		p.fail(w, r)
	case user == nil:
		p.showFirst(w, r, http.StatusOK, p.firstForm(r))
	default:
		p.showLink(w, r, http.StatusOK, "signin.title", ui.FormCard{Button: p.text(r, "signin.button"),
			Texts: []string{p.text(r, "signin.hello", "name", user.Name)}})
	}
}

func (p *Pages) text(r *http.Request, key string, args ...any) string {
	return p.options.Language(r).Text(key, args...)
}

// firstForm returns the form with which the first user says who that is.
func (p *Pages) firstForm(r *http.Request) ui.Form {
	return ui.Form{
		{Name: "name", Label: p.text(r, "signin.name"), Required: true, Most: 100, Autocomplete: "name"},
		{Name: "email", Label: p.text(r, "signin.email"), Kind: ui.InputEmail, Required: true, Autocomplete: "username"},
		{Name: "password", Label: p.text(r, "signin.new_password"), Kind: ui.InputPassword, Required: true, Least: users.MinPassword,
			Autocomplete: "new-password"},
	}
}

func (p *Pages) showFirst(w http.ResponseWriter, r *http.Request, status int, f ui.Form) {
	p.showLink(w, r, status, "signin.welcome", ui.FormCard{Texts: []string{p.text(r, "signin.first")}, Form: f,
		Button: p.text(r, "signin.begin")})
}

func (p *Pages) showLink(w http.ResponseWriter, r *http.Request, status int, title string, c ui.FormCard) {
	p.options.Write(w, r, status, &ui.View{Title: p.text(r, title), Content: p.link, Data: linkData{Valid: true, Card: c}}, nil)
}

func (p *Pages) showBadLink(w http.ResponseWriter, r *http.Request) {
	p.options.Write(w, r, http.StatusNotFound, &ui.View{Title: p.text(r, "signin.bad_link"), Content: p.link, Data: linkData{Mails: p.users.SendsMail()}}, nil)
}

// UseLink signs the user of a link in, or makes the first user.
func (p *Pages) UseLink(w http.ResponseWriter, r *http.Request) {
	text, b := r.PathValue("text"), p.options.Browser(r)
	user, err := p.users.UserOfLink(r.Context(), text)
	var cookie string
	f := p.firstForm(r)
	switch {
	case err != nil:
	case user != nil:
		cookie, err = p.users.UseLink(r.Context(), text, b)
	default:
		_ = r.FormValue("name") // reads the form
		f.ReadFrom(r.PostForm)
		cookie, err = p.users.BecomeFirst(r.Context(), text,
			users.FirstUser{Email: f.Value("email"), Name: f.Value("name"), Password: f.Value("password")}, b)
	}
	switch {
	case users.IsLinkError(err):
		p.options.Delay(r)
		p.showBadLink(w, r)
	case enlist.KindOf(err) == enlist.InvalidParameters:
		_, _ = f.Refuse(err) // each mistake stands beside its input
		p.showFirst(w, r, http.StatusUnprocessableEntity, f)
	case err != nil:
		p.fail(w, r)
	default:
		p.options.SetCookie(w, cookie)
		to := "/admin/"
		switch {
		case user == nil:
			to = "/admin/account" // the first user says where it is
		case !user.HasPassword():
			to = "/admin/you" // where the user chooses one
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}
