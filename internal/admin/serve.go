package admin

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"

	"enlist/internal/admin/signin"
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/limiter"
	"enlist/internal/users"
)

// This file reads the form of a request, and runs its page.

// serve answers a request for a page.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, p *ui.Page) {
	v, ok := h.visit(w, r, p)
	if !ok {
		return
	}
	request := &ui.Request{Request: r, Writer: w, Visit: v, App: h.app, Language: h.languageOf(r, v), Texts: h.options.Texts.OfUsers(),
		Now: h.app.DB.Now().In(enlist.Location(v.Caller.Account.TimeZone)), Version: h.options.Version, MailDir: h.options.Server.MailDir,
		PublicURL: cmp.Or(h.options.PublicURL, origin(r))}
	if !v.Caller.May(p.Needs) {
		h.problem(w, r, http.StatusForbidden, "ui.problem_level", v)
		return
	}
	switch {
	case p.Whole:
		release, err := h.options.Bodies.Reserve(r.Context(), int64(v.Caller.Account.ID), r.ContentLength)
		if err != nil {
			h.fail(w, r, v, err)
			return
		}
		defer release()
	case !p.Upload:
		release, ok := h.readForm(w, r, v, p)
		if !ok {
			return
		}
		defer release()
	}
	var view *ui.View
	err := request.CheckAccount(r.PostForm.Get(ui.AccountInput))
	if err == nil {
		view, err = h.answer(request, p)
	}
	switch {
	case err != nil:
		h.fail(w, r, v, err)
	case view == nil: // the page has sent a file
	case view.Mail != "":
		w.Header().Set("Content-Security-Policy", mailPolicy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(view.Mail)) // an error means that the client has disconnected
	case view.To != "":
		http.Redirect(w, r, h.withDone(view, v), http.StatusSeeOther)
	case view.Problem != "":
		h.write(w, r, http.StatusUnprocessableEntity, view, v)
	default:
		h.write(w, r, http.StatusOK, view, v)
	}
}

// answer runs a page. A page that changes nothing reads in one View with what the menu shows, so that its numbers are of
// one moment.
func (h *Handler) answer(r *ui.Request, p *ui.Page) (view *ui.View, err error) {
	if r.Method != http.MethodGet || p.File {
		return p.Serve(r)
	}
	err = h.app.DB.OneView(r.Caller.Context(r.Context()), func(ctx context.Context) (err error) {
		again := *r // the function may run again
		again.Request = r.Request.WithContext(ctx)
		if view, err = p.Serve(&again); err == nil && view != nil && view.To == "" {
			u := h.underWay(again.Request, http.StatusOK, r.Visit)
			view.UnderWay = &u
		}
		return err
	})
	return view, err
}

// readForm reads the form of a user who may use a page, or who is not signed in. If it returns false, it has
// answered the request.
func (h *Handler) readForm(w http.ResponseWriter, r *http.Request, v *users.Visit, p *ui.Page) (release func(), ok bool) {
	owner := int64(strangers)
	if v != nil {
		owner = int64(v.Caller.Account.ID)
	}
	body, release, err := h.options.Bodies.ReadBody(w, r, owner, cmp.Or(p.MaxForm, maxForm))
	if errors.Is(err, limiter.ErrBusy) {
		h.fail(w, r, v, err)
		return nil, false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err == nil {
		err = r.ParseForm()
	}
	r.Body = http.NoBody
	switch {
	case err != nil: // a part of a form must not be stored
		h.problem(w, r, http.StatusRequestEntityTooLarge, "ui.problem_too_large", v)
	case !isText(r.Form):
		h.problem(w, r, http.StatusUnprocessableEntity, "ui.problem_no_text", v)
	default:
		if v != nil { // the form was sent again after a sign-in
			r.PostForm, r.Form = signin.Without(r.PostForm), signin.Without(r.Form)
		}
		return release, true
	}
	release()
	return nil, false
}

// origin returns the address of this server, as the browser knows it.
func origin(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// isText reports whether all parameters of a request are texts. A browser sends no others.
func isText(form url.Values) bool {
	for name, values := range form {
		if !enlist.IsText(name) || slices.ContainsFunc(values, func(v string) bool { return !enlist.IsText(v) }) {
			return false
		}
	}
	return true
}
