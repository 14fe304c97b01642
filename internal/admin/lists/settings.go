package lists

import (
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/language"
)

// This file has the form of the settings of a List, also of a new one.

// formData is the data of a page with a form.
type formData struct {
	Form   ui.Form
	Action string // path to which the form is sent; "": that of the page
	Button string
	Back   string // path of the page to which the person goes without saving
	Delete string // path of the page that deletes the record; "": none
	Says   string
	Ask    string // what the person must agree to before the form is saved; "": nothing
	Count  int64  // of the Contacts about whom Ask is
	Who    string // path of the page that shows them; "": none
	Seen   string // hash of the stored values; "": of a new record

	Waiting *waiting // asks what happens to people who have not confirmed; nil: does not ask
}

// languages returns the languages of pages and mails for subscribers.
func languages() []ui.Option {
	all := ui.Choices("", "of the browser; mails in English")
	for _, l := range language.New().All() {
		all = append(all, ui.Option{Value: l.Code, Text: l.EnglishName()})
	}
	return all
}

// formOf returns the form of a List. It has the Folder if there are several, and the person may use the whole Account.
func formOf(r *ui.Request, l *enlist.List) (ui.Form, error) {
	f := inputsOf(l)
	folders, err := r.App.Accounts.SearchFolders(r.Context(), r.Caller, accounts.FolderOfLists,
		enlist.Query{SortBy: "name"})
	if err = enlist.IgnoreKind(enlist.Denied, err); err != nil || len(folders) < 2 {
		return f, err
	}
	folder := ui.Input{Name: "folder_id", Label: "Folder", Kind: ui.InputChoice, Value: ui.Plain(int64(l.FolderID))}
	for i := range folders {
		folder.Options = append(folder.Options,
			ui.Option{Value: ui.Plain(int64(folders[i].ID)), Text: folders[i].Name})
	}
	return append(f, folder), nil
}

// inputsOf returns the inputs of a List, without the keys that only programs use.
func inputsOf(l *enlist.List) ui.Form {
	check := func(name, label, help string, is bool) ui.Input {
		return ui.Input{Name: name, Label: label, Help: help, Kind: ui.InputCheck, Value: either(is, "1", "")}
	}
	area := func(name, label, help, value string) ui.Input {
		return ui.Input{Name: name, Label: label, Help: help, Kind: ui.InputArea, Value: value}
	}
	text := func(name, label, help, value string) ui.Input {
		return ui.Input{Name: name, Label: label, Help: help, Value: value}
	}
	name := text("name", "Name", "subscribers see it in mails and on pages", l.Name)
	name.Required = true
	return ui.Form{name,
		check(doubleOptIn, "Who subscribes confirms by a link in a mail",
			"before, the person gets no other mail", l.DoubleOptIn),
		check("is_gdpr_compliant", "A proof of consent is required",
			"a subscription without the text that the person agreed to is refused", l.GDPR),
		check("disallow_duplicate_contacts", "An address is on the List at most once", "", l.DisallowDuplicates),
		check("allow_send_to_duplicates", "An address that is on it twice gets a mail twice",
			"only where an address may be on the List more than once", l.SendToDuplicates),
		check("track_opens", "Count opened mails", "by a small image in each mail", l.TrackOpens),
		check("track_clicks", "Count clicks", "links then lead through this server", l.TrackClicks),
		text("from_name", "Name of the sender", "if empty, the name of the List", l.FromName),
		text("from_address", "Address of the sender", "if empty, that of the server", l.FromAddress),
		{Name: "language", Label: "Language for subscribers", Help: "of pages and of the mail that asks to confirm",
			Kind: ui.InputChoice, Value: l.Language, Options: languages()},
		text("confirmation_subject", "Subject of the mail that asks to confirm", "if empty, a text in the language",
			l.ConfirmSubject),
		area("confirmation_text", "Text of this mail",
			"if empty, a text in the language. An empty line begins a paragraph", l.ConfirmText),
		text("consent_text", "What subscribers agree to by confirming",
			"shown in the mail and on the page, and kept as proof", l.ConsentText),
		area("imprint", "Imprint", "who sends the mails, at the end of the mail that asks to confirm and of pages",
			l.Imprint),
		text("on_register_address", "Notify when someone subscribes", "addresses with commas between them", l.OnRegister),
		text("on_update_address", "Notify when a Contact changes", "", l.OnUpdate),
		text("on_unsubscribe_address", "Notify when someone unsubscribes", "", l.OnUnsubscribe),
		ui.Country("Country of telephone numbers without one", l.CountryCode),
	}
}

// newList shows the form of a new List, with the settings that suit most newsletters.
func (p *pages) newList(r *ui.Request) (*ui.View, error) {
	if !mayAdd(r) {
		return nil, ui.ErrNotFound
	}
	f, err := formOf(r, &enlist.List{DoubleOptIn: true, DisallowDuplicates: true, TrackOpens: true,
		TrackClicks: true, CountryCode: r.NewCountry()})
	return p.showNew(f, ""), err
}

func (p *pages) showNew(f ui.Form, problem string) *ui.View {
	return &ui.View{Title: "New List", Place: "/admin/lists", Content: p.form_, Problem: problem, Data: formData{Form: f,
		Action: "/admin/lists", Button: "Make the List", Back: "/admin/lists",
		Says: "It begins with the Fields Email and Mobile Phone. All of this can be changed later."}}
}

func (p *pages) add(r *ui.Request) (*ui.View, error) {
	f, err := formOf(r, new(enlist.List))
	if err != nil {
		return nil, err
	}
	f.Read(r)
	id, err := r.App.Lists.AddList(r.Context(), r.Caller, f.Details())
	if err != nil {
		problem, err := f.Refuse(err)
		return p.showNew(f, problem), err
	}
	return ui.GoTo(path(id), "The List was made."), nil
}

func (p *pages) settings(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	f, err := settingsForm(r, list)
	return p.showSettings(list, f, ""), err
}

// settingsForm is formOf without the texts for subscribers, which have a page of their own.
func settingsForm(r *ui.Request, l *enlist.List) (ui.Form, error) {
	f, err := formOf(r, l)
	return slices.DeleteFunc(f, func(i ui.Input) bool {
		switch i.Name {
		case "language", "confirmation_subject", "confirmation_text", "consent_text", "imprint":
			return true
		}
		return false
	}), err
}

func (p *pages) showSettings(l *enlist.List, f ui.Form, problem string) *ui.View {
	texts := ui.Action{Text: "Texts for subscribers", Path: "/admin/forms/" + ui.Plain(int64(l.ID)) + "/texts"}
	return &ui.View{Title: "Settings of " + l.Name, Place: "/admin/lists", Content: p.form_, Problem: problem,
		Data: formData{Form: f, Button: "Save", Back: path(l.ID), Seen: inputsOf(l).Seen()}, Actions: []ui.Action{texts}}
}

// saveSettings saves the form. If people who have not confirmed would get no more mail, or mail again, it asks first.
func (p *pages) saveSettings(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	f, err := settingsForm(r, list)
	if err != nil {
		return nil, err
	}
	f.Read(r)
	if inputsOf(list).Conflicts(r, f) {
		return p.showSettings(list, f, ui.Changed), nil
	}
	to := path(list.ID)
	if v, err := p.askReceiving(r, list, f); v != nil || err != nil {
		return v, err
	}
	if f.Value(doubleOptIn) != "" && !list.DoubleOptIn {
		asks, change, err := p.confirmFirst(r, list, f)
		if err != nil {
			problem, err := f.Refuse(err)
			return p.showSettings(list, f, problem), err
		}
		if asks != nil {
			return p.askWaiting(list, f, asks), nil
		}
		if change != 0 {
			to = "/admin/contacts/changes/" + ui.Plain(change)
		}
	}
	if _, err := r.App.Lists.EditList(r.Context(), r.Caller, list.ID, f.Details()); err != nil {
		problem, err := f.Refuse(err)
		return p.showSettings(list, f, problem), err
	}
	return ui.GoTo(to, "Saved."), nil
}

// askData is the data of a page that asks before something is done.
type askData struct {
	Texts  []string // what will happen
	Name   string   // to be typed; "": nothing
	Count  int64    // of Contacts in the Texts; the form sends it back
	Typed  string
	Wrong  string // what is wrong with what was typed
	Button string
	Danger bool
	Back   string
	Input  ui.Form
}
