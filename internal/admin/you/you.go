// Package you has the page about the person who is signed in: password and devices.
package you

import (
	"embed"
	"errors"
	"html/template"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/people"
)

//go:embed you.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &page{ui.Parse(files, "you.html")}
	return []ui.Page{
		{Pattern: "GET /admin/you", Level: enlist.Read, Serve: func(r *ui.Request) (*ui.View, error) {
			return p.show(r,
				"", "")
		}},
		{Pattern: "POST /admin/you/password", Level: enlist.Read, Serve: p.setPassword},
		{Pattern: "POST /admin/you/sessions/{session}", Level: enlist.Read, Serve: endSession},
	}
}

type page struct{ content *template.Template }

// data is the data of the page.
type data struct {
	HasPassword bool
	Email       string
	Sessions    []session
	Wrong, What string // a field of the form, and what is wrong with it
}

type session struct {
	people.Session
	Since   string
	Present bool
}

func (p *page) show(r *ui.Request, wrong, what string) (*ui.View, error) {
	all, err := r.App.People.Sessions(r.Context(), r.Person.ID)
	if err != nil {
		return nil, err
	}
	d := data{HasPassword: r.Person.HasPassword(), Email: r.Person.Email, Wrong: wrong, What: what}
	for _, s := range all {
		d.Sessions = append(d.Sessions, session{s, r.Date(s.CreationTime), s.ID == r.Session.ID})
	}
	view := &ui.View{Title: r.Person.Name, Sub: r.Person.Email, Place: "You", Content: p.content, Data: d}
	if wrong != "" {
		view.Problem = "The password was not changed."
	}
	return view, nil
}

func (p *page) setPassword(r *ui.Request) (*ui.View, error) {
	err := r.App.People.SetPassword(r.Context(), r.Visit, r.FormValue("present"), r.FormValue("password"))
	var wrong *enlist.Error
	switch {
	case errors.Is(err, people.ErrSignIn):
		return p.show(r, "present", "This is not your present password.")
	case errors.Is(err, people.ErrTooManyTries):
		return p.show(r, "present", "Too many tries. Wait a quarter of an hour.")
	case errors.As(err, &wrong) && wrong.Field == "password":
		return p.show(r, "password", wrong.Detail)
	case err != nil:
		return nil, err
	}
	return ui.GoTo("/admin/you", "Your password was changed."), nil
}

func endSession(r *ui.Request) (*ui.View, error) {
	if err := r.App.People.EndSession(r.Context(), r.Visit, people.SessionID(r.ID("session"))); err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/you", "That device is signed out."), nil
}
