package lists

import (
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/language"
)

// This file has the form of the settings of a List, also of a new one.

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
	folder := ui.Input{Name: "folder_id", Label: r.Text("lists.folder"), Kind: ui.InputChoice, Picker: true,
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
		policy(r, "open_policy", r.Text("lists.open_policy"), l.OpenPolicy),
		check("track_clicks", r.Text("lists.track_clicks"), r.Text("lists.track_clicks_help"), l.TrackClicks),
		policy(r, "click_policy", r.Text("lists.click_policy"), l.ClickPolicy),
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
		r.Country(r.Text("lists.country"), l.CountryCode),
	}
}

// policy returns the input that chooses whose opens or clicks are recorded. The Account's policy is the first choice.
func policy(r *ui.Request, name, label string, chosen enlist.TrackingPolicy) ui.Input {
	return ui.Input{Name: name, Label: label, Help: r.Text("lists.policy_help"), Kind: ui.InputChoice, Value: string(chosen),
		Options: append(ui.Choices("", r.Text("lists.policy_of_account")), r.TrackingOptions()...)}
}

// newList makes a List. The form has the settings that suit most newsletters.
func newList(r *ui.Request) (*ui.View, error) {
	if !mayAdd(r) {
		return nil, ui.ErrNotFound
	}
	f, err := formOf(r, &enlist.List{DoubleOptIn: true, DisallowDuplicates: true, TrackOpens: true,
		TrackClicks: true, CountryCode: r.NewCountry()})
	if err != nil {
		return nil, err
	}
	c := ui.FormCard{Texts: []string{r.Text("lists.new_about")}, Form: f, Button: r.Text("lists.make_button"),
		Back: ui.Action{Text: r.Text("lists.back"), Path: place}}
	return r.FormPage(r.Text("lists.new"), place, &c, func() (*ui.View, error) {
		id, err := r.App.Lists.AddList(r.Context(), r.Caller, f.Details())
		return ui.GoTo(path(id), r.Text("lists.made")), err
	})
}

// settings edits a List. If people who have not confirmed would get no more mail, or mail again, it asks first.
func settings(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	f, err := settingsForm(r, list)
	if err != nil {
		return nil, err
	}
	c := ui.FormCard{Form: f, Button: r.Text("lists.save"), Back: backTo(r, list)}
	page := func(problem string) (*ui.View, error) {
		v := ui.FormPage(r.Text("lists.settings_of", "list", list.Name), place, problem, c)
		v.Actions = []ui.Action{{Text: r.Text("lists.texts"), Path: "/admin/forms/" + ui.Plain(int64(list.ID)) + "/texts"}}
		return v, nil
	}
	return r.Submit(f, page, func() (*ui.View, error) {
		asks, err := askReceiving(r, list, f)
		if err != nil {
			return nil, err
		}
		if asks != nil {
			c.Form = append(f, *asks)
			c.Links = []ui.Action{{Text: r.Text("lists.see_who"), Path: unconfirmedOf(list.ID)}}
			return page("lists.receiving_first")
		}
		asks, change, err := confirmFirst(r, list, f)
		if err != nil {
			return nil, err
		}
		if asks != nil {
			c.Form = append(ui.Form{*asks}, f...)
			return page("lists.waiting_first")
		}
		if _, err := r.App.Lists.EditList(r.Context(), r.Caller, list.ID, f.Details()); err != nil {
			return nil, err
		}
		to := path(list.ID)
		if change != 0 {
			to = "/admin/contacts/changes/" + ui.Plain(change)
		}
		return ui.GoTo(to, r.Text("lists.saved")), nil
	})
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
