package signin

import (
	"errors"
	"net/http"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// This file has the pages with which a user who is not signed in chooses another password, and confirms a new address.
// Programs that look at mails open links, so opening one changes nothing.

func (p *Pages) forgotForm(r *http.Request) ui.Form {
	return ui.Form{{Name: "email", Label: p.text(r, "signin.email"), Kind: ui.InputEmail, Required: true, Autocomplete: "username"}}
}

// askOperator says that this server sends no mail, and whom to ask.
func (p *Pages) askOperator(w http.ResponseWriter, r *http.Request) {
	p.showText(w, r, "signin.forgot_title", p.text(r, "members.runner_link", "email", "ADDRESS"))
}

func (p *Pages) showForgot(w http.ResponseWriter, r *http.Request, status int, f ui.Form, wrong string) {
	c := ui.FormCard{Texts: []string{p.text(r, "signin.forgot_about")}, Form: f, Action: "/admin/forgot",
		Button: p.text(r, "signin.forgot_button"), Back: ui.Action{Text: p.text(r, "signin.title"), Path: "/admin/sign-in"}}
	p.options.Write(w, r, status, &ui.View{Title: p.text(r, "signin.forgot_title"), Problem: wrong, Content: p.link,
		Data: linkData{Valid: true, Card: c}}, nil)
}

// Forgot shows the form of a user who has forgotten the password.
func (p *Pages) Forgot(w http.ResponseWriter, r *http.Request) {
	if !p.users.SendsMail() {
		p.askOperator(w, r)
		return
	}
	p.showForgot(w, r, http.StatusOK, p.forgotForm(r), "")
}

// AskPassword mails the link, and says the same for each address.
func (p *Pages) AskPassword(w http.ResponseWriter, r *http.Request) {
	if !p.users.SendsMail() {
		p.askOperator(w, r)
		return
	}
	_ = r.FormValue("email") // reads the form
	f := p.forgotForm(r)
	f.ReadFrom(r.PostForm)
	err := p.users.AskPassword(r.Context(), f.Value("email"), p.options.Browser(r))
	switch {
	case errors.Is(err, users.ErrTooManyTries):
		p.showForgot(w, r, http.StatusTooManyRequests, f, "you.too_many_tries")
	case err != nil:
		p.fail(w, r)
	default:
		p.showText(w, r, "signin.forgot_title", p.text(r, "signin.forgot_done"))
	}
}

// showText shows a page with a sentence.
func (p *Pages) showText(w http.ResponseWriter, r *http.Request, title, text string) {
	p.showLink(w, r, http.StatusOK, title, ui.FormCard{Texts: []string{text},
		Links: []ui.Action{{Text: p.text(r, "signin.title"), Path: "/admin/sign-in"}}})
}

func (p *Pages) passwordForm(r *http.Request, email string) ui.Form {
	return ui.Form{{Kind: ui.InputHidden, Autocomplete: "username", Value: email}, {Name: "password",
		Label: p.text(r, "signin.new_password"), Kind: ui.InputPassword, Required: true, Least: users.MinPassword,
		Autocomplete: "new-password"}}
}

func (p *Pages) showPassword(w http.ResponseWriter, r *http.Request, status int, name string, f ui.Form) {
	p.showLink(w, r, status, "signin.reset_title", ui.FormCard{Texts: []string{p.text(r, "signin.hello", "name", name)},
		Form: f, Button: p.text(r, "signin.reset_button"), After: p.text(r, "signin.reset_after")})
}

// Password shows the page of a link with which a user chooses another password.
func (p *Pages) Password(w http.ResponseWriter, r *http.Request) {
	user, err := p.users.UserOfPasswordLink(r.Context(), r.PathValue("text"))
	switch {
	case users.IsLinkError(err):
		p.showBadLink(w, r)
	case err != nil:
		p.fail(w, r)
	default:
		p.showPassword(w, r, http.StatusOK, user.Name, p.passwordForm(r, user.Email))
	}
}

// ResetPassword stores the password, and signs the user in.
func (p *Pages) ResetPassword(w http.ResponseWriter, r *http.Request) {
	_ = r.FormValue("password") // reads the form
	text := r.PathValue("text")
	user, err := p.users.UserOfPasswordLink(r.Context(), text)
	var cookie string
	f := ui.Form{}
	if err == nil {
		f = p.passwordForm(r, user.Email)
		f.ReadFrom(r.PostForm)
		cookie, err = p.users.ResetPassword(r.Context(), text, f.Value("password"), p.options.Browser(r))
	}
	switch {
	case users.IsLinkError(err):
		p.options.Delay(r)
		p.showBadLink(w, r)
	case enlist.KindOf(err) == enlist.InvalidParameters:
		_, _ = f.Refuse(err) // the mistake stands beside the input
		p.showPassword(w, r, http.StatusUnprocessableEntity, user.Name, f)
	case err != nil:
		p.fail(w, r)
	default:
		p.options.SetCookie(w, cookie)
		http.Redirect(w, r, "/admin/", http.StatusSeeOther)
	}
}

// Address shows the page of a link that confirms a new address.
func (p *Pages) Address(w http.ResponseWriter, r *http.Request) {
	user, email, err := p.users.AddressOfLink(r.Context(), r.PathValue("text"))
	switch {
	case users.IsLinkError(err):
		p.showBadLink(w, r)
	case err != nil:
		p.fail(w, r)
	default:
		p.showLink(w, r, http.StatusOK, "signin.address_title", ui.FormCard{Texts: []string{p.text(r, "signin.hello", "name", user.Name),
			p.text(r, "signin.address_about", "address", email)}, Button: p.text(r, "signin.address_button")})
	}
}

// ConfirmAddress makes the new address that of the user.
func (p *Pages) ConfirmAddress(w http.ResponseWriter, r *http.Request) {
	_, email, err := p.users.AddressOfLink(r.Context(), r.PathValue("text"))
	if err == nil {
		err = p.users.ConfirmAddress(r.Context(), r.PathValue("text"), p.options.Language(r).Code)
	}
	switch {
	case users.IsLinkError(err):
		p.options.Delay(r)
		p.showBadLink(w, r)
	case enlist.KindOf(err) == enlist.InvalidParameters:
		p.showText(w, r, "signin.address_title", p.text(r, "signin.address_taken", "address", email))
	case err != nil:
		p.fail(w, r)
	default:
		p.showText(w, r, "signin.address_title", p.text(r, "signin.address_done", "address", email))
	}
}
