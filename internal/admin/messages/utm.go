package messages

import (
	"net/url"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the inputs of the UTM parameters of a Message.

// utmOf returns the inputs.
func utmOf(r *ui.Request, m *messages.Message) ui.Input {
	u := m.OwnUTM()
	account := r.Text("messages.utm_account_off")
	if r.App.Accounts.Settings().Of(r.Caller.Account.ID).UTM.IsOn() {
		account = r.Text("messages.utm_account_on")
	}
	use := ui.Input{Name: "utm", Label: r.Text("messages.utm_use"), Kind: ui.InputChoice, Help: r.Text("messages.utm_about"),
		Options: ui.Choices(string(enlist.UTMOfAccount), account, string(enlist.UTMOn), r.Text("messages.utm_on"),
			string(enlist.UTMOff), r.Text("messages.utm_off"))}
	if use.Value = r.PostForm.Get("utm"); use.Value == "" {
		use.Value = enlist.UTMAttributes[0].Get(&u).Text
	}
	parameters := ui.UTM(r, &u)
	if len(typedUTM(r.PostForm)) > 0 {
		parameters.ReadFrom(r.PostForm)
	}
	return ui.Input{Kind: ui.InputFold, Label: r.Text("messages.utm"), IsOpen: u != enlist.UTM{},
		Parts: append(ui.Form{use}, parameters...)}
}

// typedUTM returns what a form sets of the UTM parameters.
func typedUTM(form url.Values) (all []enlist.Detail) {
	for i := range enlist.UTMAttributes {
		if key := enlist.UTMAttributes[i].Name; form.Has(key) {
			all = append(all, ui.Text(key, form.Get(key)))
		}
	}
	return all
}
