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
		{Pattern: "GET /admin/you", Needs: enlist.See, Serve: func(r *ui.Request) (*ui.View, error) {
			return p.show(r, newForms(r), "")
		}},
		{Pattern: "POST /admin/you/language", Needs: enlist.See, Serve: p.chooseLanguage},
		{Pattern: "POST /admin/you/name", Needs: enlist.See, Serve: p.changeName},
		{Pattern: "POST /admin/you/address", Needs: enlist.See, Serve: p.askAddress},
		{Pattern: "POST /admin/you/password", Needs: enlist.See, Serve: p.setPassword},
		{Pattern: "POST /admin/you/passkeys", Needs: enlist.See, Serve: p.addPasskey},
		{Pattern: "POST /admin/you/passkeys/{passkey}/remove", Needs: enlist.See, Serve: removePasskey},
		{Pattern: "POST /admin/you/sessions/{session}", Needs: enlist.See, Serve: endSession},
	}
}

type page struct{ content *ui.Template }

// forms are the forms of the page, perhaps as they were refused.
type forms struct{ name, address, password, passkey, language ui.Form }

// newForms returns the forms without values.
func newForms(r *ui.Request) (f forms) {
	f.password = ui.Form{{Kind: ui.InputHidden, Autocomplete: "username", Value: r.User.Email}}
	f.name = ui.Form{{Name: "name", ID: "own-name", Label: r.Text("signin.name"), Value: r.User.Name, Most: 100, Required: true,
		Autocomplete: "name"}}
	f.address = ui.Form{{Name: "email", Label: r.Text("you.new_address"), Kind: ui.InputEmail, Required: true, Autocomplete: "email"}}
	f.passkey = ui.Form{{Name: "name", Label: r.Text("you.new_name"), Most: 100, Required: true,
		Example: r.Text("you.example")}}
	if r.User.HasPassword() {
		present := ui.Input{Name: "present", Label: r.Text("you.present"), Kind: ui.InputPassword,
			Autocomplete: "current-password", Required: true}
		f.password = append(f.password, present)
		present.ID = "present-passkey"
		f.passkey = append(f.passkey, present)
		present.ID = "present-address"
		f.address = append(f.address, present)
	}
	f.password = append(f.password, ui.Input{Name: "password", Label: r.Text("signin.new_password"),
		Kind: ui.InputPassword, Autocomplete: "new-password", Least: users.MinPassword, Required: true})
	in := ui.Input{Name: "language", Label: r.Text("you.language"), Kind: ui.InputChoice, Value: r.User.Language,
		Options: ui.Choices("", r.Text("you.language_of_browser"))}
	for _, l := range r.Texts.All() {
		in.Options = append(in.Options, ui.Option{Value: l.Code, Text: l.Name()})
	}
	f.language = ui.Form{in}
	return f
}

// data is the data of the page.
type data struct {
	Name     ui.FormCard
	Address  ui.FormCard // without mail, it has no Button
	Password ui.FormCard
	Language ui.FormCard // without a choice, it has no Button and is not shown
	Passkey  ui.Form
	Sessions []ui.Session
	Passkeys []passkey
	Options  string // with which a browser makes a passkey; "": it cannot
}

type passkey struct {
	users.Passkey
	Added, Used string
}

func (p *page) show(r *ui.Request, f forms, problem string) (*ui.View, error) {
	sessions, err := r.App.Users.Sessions(r.Context(), r.User.ID)
	if err != nil {
		return nil, err
	}
	d := data{Passkey: f.passkey, Name: ui.FormCard{Heading: r.Text("you.change_name"), Form: f.name,
		Action: "/admin/you/name", Button: r.Text("you.save")}, Password: ui.FormCard{Heading: r.Text("you.change_password"), Form: f.password,
		Action: "/admin/you/password", Button: r.Text("you.save"), After: r.Text("you.signs_out")}}
	d.Address = ui.FormCard{Heading: r.Text("you.change_address"), Texts: []string{r.Text("you.address_is", "address", r.User.Email)}}
	if r.App.Users.SendsMail() {
		d.Address.Form, d.Address.Action, d.Address.Button = f.address, "/admin/you/address", r.Text("you.mail_link")
		d.Address.After = r.Text("you.address_confirmed")
	} else {
		d.Address.After = r.Text("you.no_mail")
	}
	if len(r.Texts.All()) > 1 {
		d.Language = ui.FormCard{Heading: r.Text("you.language"), Form: f.language, Action: "/admin/you/language",
			Button: r.Text("you.save"), After: r.Text("you.language_is")}
	}
	if !r.User.HasPassword() {
		d.Password.Heading, d.Password.Texts = r.Text("you.choose_password"), []string{r.Text("you.next_time")}
	}
	d.Sessions = r.Sessions(sessions, "/admin/you/sessions/")
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
	return &ui.View{Title: r.User.Name, Sub: r.User.Email, Place: "/admin/you", Problem: problem, Content: p.content,
		Data: d}, nil
}

func (p *page) changeName(r *ui.Request) (*ui.View, error) {
	f := newForms(r)
	page := func(problem string) (*ui.View, error) { return p.show(r, f, problem) }
	return r.Submit(f.name, page, func() (*ui.View, error) {
		return ui.GoTo("/admin/you", r.Text("you.name_saved")), r.App.Users.ChangeName(r.Context(), r.Visit, f.name.Value("name"))
	})
}

func (p *page) askAddress(r *ui.Request) (*ui.View, error) {
	f := newForms(r)
	page := func(problem string) (*ui.View, error) { return p.show(r, f, problem) }
	return r.Submit(f.address, page, func() (*ui.View, error) {
		email := f.address.Value("email")
		err := r.App.Users.AskAddress(r.Context(), r.Visit, f.address.Value("present"), email)
		return ui.GoTo("/admin/you", r.Text("you.address_asked", "address", email)), aboutPresent(r, err)
	})
}

func (p *page) chooseLanguage(r *ui.Request) (*ui.View, error) {
	f := newForms(r)
	page := func(problem string) (*ui.View, error) { return p.show(r, f, problem) }
	return r.Submit(f.language, page, func() (*ui.View, error) {
		code := f.language.Value("language")
		saved := r.Texts.For(code, r.Header.Get("Accept-Language")).Text("you.language_saved")
		return ui.GoTo("/admin/you", saved), r.App.Users.ChooseLanguage(r.Context(), r.Visit, code)
	})
}

func (p *page) setPassword(r *ui.Request) (*ui.View, error) {
	f := newForms(r)
	page := func(problem string) (*ui.View, error) { return p.show(r, f, problem) }
	return r.Submit(f.password, page, func() (*ui.View, error) {
		err := r.App.Users.SetPassword(r.Context(), r.Visit, f.password.Value("present"), f.password.Value("password"))
		return ui.GoTo("/admin/you", r.Text("you.password_changed")), aboutPresent(r, err)
	})
}

// aboutPresent returns an error that is about the present password as a mistake of its input.
func aboutPresent(r *ui.Request, err error) error {
	switch {
	case errors.Is(err, users.ErrSignIn):
		return enlist.Invalid("present", r.Text("you.wrong_password"))
	case errors.Is(err, users.ErrTooManyTries):
		return enlist.Invalid("present", r.Text("you.too_many_tries"))
	}
	return err
}

func (p *page) addPasskey(r *ui.Request) (*ui.View, error) {
	f := newForms(r)
	page := func(problem string) (*ui.View, error) { return p.show(r, f, problem) }
	return r.Submit(f.passkey, page, func() (*ui.View, error) {
		err := r.App.Users.AddPasskey(r.Context(), r.Visit, r.Host, f.passkey.Value("name"), f.passkey.Value("present"),
			r.FormValue("answer"))
		if errors.Is(err, users.ErrPasskey) {
			return page(r.Text("you.passkey_too_late"))
		}
		return ui.GoTo("/admin/you", r.Text("you.passkey_added")), aboutPresent(r, err)
	})
}

func removePasskey(r *ui.Request) (*ui.View, error) {
	err := r.App.Users.RemovePasskey(r.Context(), r.Visit, users.PasskeyID(r.ID("passkey")))
	if errors.Is(err, users.ErrPasskey) {
		return nil, ui.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/you", r.Text("you.passkey_removed")), nil
}

func endSession(r *ui.Request) (*ui.View, error) {
	err := r.App.Users.EndSession(r.Context(), r.Visit, users.SessionID(r.ID("session")))
	if errors.Is(err, users.ErrNoSession) {
		return nil, ui.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/you", r.Text("you.signed_out")), nil
}
