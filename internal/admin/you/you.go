// Package you has the page about the user who is signed in: password, passkeys and devices.
package you

import (
	"embed"
	"errors"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

//go:embed you.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &page{ui.Parse(files, "you.html")}
	return []ui.Page{
		{Pattern: "GET /admin/you", Level: enlist.Read, Serve: func(r *ui.Request) (*ui.View, error) {
			return p.show(r, form{})
		}},
		{Pattern: "POST /admin/you/password", Level: enlist.Read, Serve: p.setPassword},
		{Pattern: "POST /admin/you/passkeys", Level: enlist.Read, Serve: p.addPasskey},
		{Pattern: "POST /admin/you/passkeys/{passkey}/remove", Level: enlist.Read, Serve: removePasskey},
		{Pattern: "POST /admin/you/sessions/{session}", Level: enlist.Read, Serve: endSession},
	}
}

type page struct{ content *ui.Template }

// form is a form of the page that was refused.
type form struct {
	Problem string            // "": none was refused
	Wrong   map[string]string // what is wrong, by input
	Name    string            // of a passkey, as it was typed
}

// data is the data of the page.
type data struct {
	form
	HasPassword bool
	Email       string
	Sessions    []session
	Passkeys    []passkey
	Options     string // with which a browser makes a passkey; "": it cannot
}

type session struct {
	users.Session
	Since   string
	Present bool
}

type passkey struct {
	users.Passkey
	Added, Used string
}

func (p *page) show(r *ui.Request, f form) (*ui.View, error) {
	all, err := r.App.Users.Sessions(r.Context(), r.User.ID)
	if err != nil {
		return nil, err
	}
	d := data{form: f, HasPassword: r.User.HasPassword(), Email: r.User.Email}
	for _, s := range all {
		d.Sessions = append(d.Sessions, session{s, r.Date(s.CreationTime), s.ID == r.Session.ID})
	}
	passkeys, err := r.App.Users.Passkeys(r.Context(), r.User.ID)
	if err != nil {
		return nil, err
	}
	for _, k := range passkeys {
		d.Passkeys = append(d.Passkeys, passkey{k, r.Day(k.CreationTime), r.Date(k.LastUsedTime)})
	}
	if d.Options, err = r.App.Users.PasskeyToAdd(r.Context(), r.Visit, r.Host); err != nil {
		return nil, err
	}
	return &ui.View{Title: r.User.Name, Sub: r.User.Email, Place: "/admin/you", Problem: f.Problem, Content: p.content,
		Data: d}, nil
}

func (p *page) setPassword(r *ui.Request) (*ui.View, error) {
	err := r.App.Users.SetPassword(r.Context(), r.Visit, r.FormValue("present"), r.FormValue("password"))
	if err == nil {
		return ui.GoTo("/admin/you", "Your password was changed."), nil
	}
	f := form{Problem: "The password was not changed."}
	if f.refused(err, "present") {
		return p.show(r, f)
	}
	if f.Wrong, err = ui.WrongInputs(err); err != nil {
		return nil, err
	}
	return p.show(r, f)
}

// refused reports whether an error is about the present password, and shows it beside a field.
func (f *form) refused(err error, field string) bool {
	switch {
	case errors.Is(err, users.ErrSignIn):
		f.Wrong = map[string]string{field: "This is not your present password."}
	case errors.Is(err, users.ErrTooManyTries):
		f.Wrong = map[string]string{field: "Too many tries. Wait a quarter of an hour."}
	}
	return f.Wrong != nil
}

func (p *page) addPasskey(r *ui.Request) (*ui.View, error) {
	f := form{Problem: "The passkey was not added.", Name: r.FormValue("name")}
	err := r.App.Users.AddPasskey(r.Context(), r.Visit, r.Host, f.Name, r.FormValue("present"), r.FormValue("answer"))
	if err == nil {
		return ui.GoTo("/admin/you", "The passkey was added. Use it the next time you sign in."), nil
	}
	switch {
	case f.refused(err, "passkey"):
		return p.show(r, f)
	case errors.Is(err, users.ErrPasskey):
		f.Problem = "The passkey was not added: the browser took too long, or the device has one already. Try again."
		return p.show(r, f)
	}
	if f.Wrong, err = ui.WrongInputs(err); err != nil {
		return nil, err
	}
	return p.show(r, f)
}

func removePasskey(r *ui.Request) (*ui.View, error) {
	err := r.App.Users.RemovePasskey(r.Context(), r.Visit, users.PasskeyID(r.ID("passkey")))
	if errors.Is(err, users.ErrPasskey) {
		return nil, ui.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/you", "The passkey signs in no more. Delete it in the device too."), nil
}

func endSession(r *ui.Request) (*ui.View, error) {
	err := r.App.Users.EndSession(r.Context(), r.Visit, users.SessionID(r.ID("session")))
	if errors.Is(err, users.ErrNoSession) {
		return nil, ui.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/you", "That device is signed out."), nil
}
