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
func languages(r *ui.Request) []ui.Option {
	all := ui.Choices("", r.Text("lists.language_of_browser"))
	for _, l := range language.New().All() {
		all = append(all, ui.Option{Value: l.Code, Text: l.EnglishName()})
	}
	return all
}

// formOf returns the form of a List. It has the Folder if there are several, and the person may use the whole Account.
func formOf(r *ui.Request, l *enlist.List) (ui.Form, error) {
	f := inputsOf(r, l)
	folders, err := r.App.Accounts.SearchFolders(r.Context(), r.Caller, accounts.FolderOfLists,
		enlist.Query{SortBy: "name"})
	if err = enlist.IgnoreKind(enlist.Denied, err); err != nil || len(folders) < 2 {
		return f, err
	}
	folder := ui.Input{Name: "folder_id", Label: r.Text("lists.folder"), Kind: ui.InputChoice,
		Value: ui.Plain(int64(l.FolderID))}
	for i := range folders {
		folder.Options = append(folder.Options,
			ui.Option{Value: ui.Plain(int64(folders[i].ID)), Text: folders[i].Name})
	}
	return append(f, folder), nil
}

// inputsOf returns the inputs of a List, without the keys that only programs use.
func inputsOf(r *ui.Request, l *enlist.List) ui.Form {
	check := func(name, label, help string, is bool) ui.Input {
		return ui.Input{Name: name, Label: label, Help: help, Kind: ui.InputCheck, Value: either(is, "1", "")}
	}
	area := func(name, label, help, value string) ui.Input {
		return ui.Input{Name: name, Label: label, Help: help, Kind: ui.InputArea, Value: value}
	}
	text := func(name, label, help, value string) ui.Input {
		return ui.Input{Name: name, Label: label, Help: help, Value: value}
	}
	name := text("name", r.Text("lists.name_search"), r.Text("lists.name_help"), l.Name)
	name.Required = true
	return ui.Form{name,
		check(doubleOptIn, r.Text("lists.confirms"),
			r.Text("lists.confirms_help"), l.DoubleOptIn),
		check("is_gdpr_compliant", r.Text("lists.gdpr"),
			r.Text("lists.gdpr_help"), l.GDPR),
		check("disallow_duplicate_contacts", r.Text("lists.no_duplicates"), "", l.DisallowDuplicates),
		check("allow_send_to_duplicates", r.Text("lists.mail_twice"),
			r.Text("lists.mail_twice_help"), l.SendToDuplicates),
		check("track_opens", r.Text("lists.track_opens"), r.Text("lists.track_opens_help"), l.TrackOpens),
		check("track_clicks", r.Text("lists.track_clicks"), r.Text("lists.track_clicks_help"), l.TrackClicks),
		text("from_name", r.Text("lists.from_name"), r.Text("lists.from_name_help"), l.FromName),
		text("from_address", r.Text("lists.from_address"), r.Text("lists.from_address_help"), l.FromAddress),
		{Name: "language", Label: r.Text("lists.for_subscribers"), Help: r.Text("lists.for_subscribers_help"),
			Kind: ui.InputChoice, Value: l.Language, Options: languages(r)},
		text("confirmation_subject", r.Text("lists.confirm_subject"), r.Text("lists.default_text"),
			l.ConfirmSubject),
		area("confirmation_text", r.Text("lists.text_of_mail"),
			r.Text("lists.text_of_mail_help"), l.ConfirmText),
		text("consent_text", r.Text("lists.agree"),
			r.Text("lists.agree_help"), l.ConsentText),
		area("imprint", r.Text("lists.imprint"), r.Text("lists.imprint_help"),
			l.Imprint),
		text("on_register_address", r.Text("lists.notify_subscribe"), r.Text("lists.notify_addresses"), l.OnRegister),
		text("on_update_address", r.Text("lists.notify_change"), "", l.OnUpdate),
		text("on_unsubscribe_address", r.Text("lists.notify_unsubscribe"), "", l.OnUnsubscribe),
		ui.Country(r.Text("lists.country"), l.CountryCode),
	}
}

// newList shows the form of a new List, with the settings that suit most newsletters.
func (p *pages) newList(r *ui.Request) (*ui.View, error) {
	if !mayAdd(r) {
		return nil, ui.ErrNotFound
	}
	f, err := formOf(r, &enlist.List{DoubleOptIn: true, DisallowDuplicates: true, TrackOpens: true,
		TrackClicks: true, CountryCode: r.NewCountry()})
	return p.showNew(r, f, ""), err
}

func (p *pages) showNew(r *ui.Request, f ui.Form, problem string) *ui.View {
	return &ui.View{Title: r.Text("lists.new"), Place: "/admin/lists", Content: p.form, Problem: problem,
		Data: formData{Form: f,
			Action: "/admin/lists", Button: r.Text("lists.make_button"), Back: "/admin/lists",
			Says: r.Text("lists.new_about")}}
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
		return p.showNew(r, f, problem), err
	}
	return ui.GoTo(path(id), r.Text("lists.made")), nil
}

func (p *pages) settings(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	f, err := settingsForm(r, list)
	return p.showSettings(r, list, f, ""), err
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

func (p *pages) showSettings(r *ui.Request, l *enlist.List, f ui.Form, problem string) *ui.View {
	texts := ui.Action{Text: r.Text("lists.texts"), Path: "/admin/forms/" + ui.Plain(int64(l.ID)) + "/texts"}
	return &ui.View{Title: r.Text("lists.settings_of", "list", l.Name), Place: "/admin/lists", Content: p.form,
		Problem: problem,
		Data:    formData{Form: f, Button: r.Text("lists.save"), Back: path(l.ID), Seen: inputsOf(r, l).Seen()},
		Actions: []ui.Action{texts}}
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
	if inputsOf(r, list).Conflicts(r, f) {
		return p.showSettings(r, list, f, ui.Changed), nil
	}
	to := path(list.ID)
	if v, err := p.askReceiving(r, list, f); v != nil || err != nil {
		return v, err
	}
	if f.Value(doubleOptIn) != "" && !list.DoubleOptIn {
		asks, change, err := p.confirmFirst(r, list, f)
		if err != nil {
			problem, err := f.Refuse(err)
			return p.showSettings(r, list, f, problem), err
		}
		if asks != nil {
			return p.askWaiting(r, list, f, asks), nil
		}
		if change != 0 {
			to = "/admin/contacts/changes/" + ui.Plain(change)
		}
	}
	if _, err := r.App.Lists.EditList(r.Context(), r.Caller, list.ID, f.Details()); err != nil {
		problem, err := f.Refuse(err)
		return p.showSettings(r, list, f, problem), err
	}
	return ui.GoTo(to, r.Text("lists.saved")), nil
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
