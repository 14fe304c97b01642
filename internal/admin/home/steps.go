package home

import (
	"slices"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file has the first steps of a new Account. They are shown until its first send is completed. A test mail leaves
// no record, so it is not a step of its own.

// step is something to do before the first send.
type step struct {
	Text, Path string
	Done, Next bool // Next: the first one that is not done
}

// firstSteps sets the steps, for a person who can take all of them. It needs Last and Lists.
func (d *data) firstSteps(r *ui.Request) error {
	if len(d.Last) > 0 || !d.MayAdd || !r.MaySend() {
		return nil
	}
	messages, err := r.App.Messages.SearchMessages(r.Context(), r.Caller, enlist.Query{Limit: 1})
	if err != nil {
		return err
	}
	hasSender := r.App.Accounts.Settings().Of(r.Caller.Account.ID).From != "" ||
		slices.ContainsFunc(d.Lists, func(l list) bool { return l.FromAddress != "" })
	hasContacts := slices.ContainsFunc(d.Lists, func(l list) bool { return l.ContactCount > 0 })
	sender, message := "/admin/sending", "/admin/messages"
	if len(d.Lists) > 0 && !hasSender {
		sender = "/admin/lists/" + ui.Plain(int64(d.Lists[0].ID)) + "/settings"
	}
	if len(messages) > 0 {
		message += "/" + ui.Plain(int64(messages[0].ID))
	}
	d.Steps = []step{
		{Text: r.Text("home.say_which_time_zone_country"), Path: "/admin/account", Done: r.HasCountry()},
		{Text: r.Text("home.make_list_for_people_what"), Path: "/admin/lists/new", Done: len(d.Lists) > 0},
		{Text: r.Text("home.step_sender"), Path: sender, Done: hasSender},
		{Text: r.Text("home.import_your_contacts"), Path: "/admin/imports/new", Done: hasContacts},
		{Text: r.Text("home.step_message"), Path: message, Done: len(messages) > 0},
		{Text: r.Text("home.send"), Path: "/admin/sends/new", Done: false},
	}
	if i := slices.IndexFunc(d.Steps, func(s step) bool { return !s.Done }); len(d.Running) == 0 {
		d.Steps[i].Next = true
	}
	return nil
}
