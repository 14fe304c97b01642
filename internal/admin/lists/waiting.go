package lists

import (
	"errors"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file asks what happens to the people of a List who have not confirmed, when a user makes the List ask for it, or
// no longer ask.

const doubleOptIn = "double_opt_in_required"

// wait means that people get no mail until they confirm.
const wait = "wait"

// confirmFirst starts the change of people who have not confirmed, if the List begins to ask for it. It returns what to
// ask if the user has not chosen yet, and the ID of the change, or 0 without a change.
func confirmFirst(r *ui.Request, l *enlist.List, f ui.Form) (asks *ui.Input, change int64, err error) {
	if l.DoubleOptIn || f.Value(doubleOptIn) == "" {
		return nil, 0, nil
	}
	n, err := r.App.Contacts.CountContacts(r.Context(), r.Caller, l.ID, contacts.Unconfirmed())
	if err != nil || n == 0 {
		return nil, 0, err
	}
	if asks, err = waitingInput(r, l, n); err != nil {
		return nil, 0, err
	}
	choice, seen := asks.Parts.In("waiting"), ui.Int(r.PostForm.Get("count"))
	switch choice.Value {
	case wait:
		if seen == n {
			return nil, 0, nil
		}
		choice.Wrong = r.Text("lists.waiting_changed", "n", n)
		return asks, 0, nil
	case string(contacts.ChangeConfirm), string(contacts.ChangeAsk):
	default:
		return asks, 0, nil
	}
	others := slices.DeleteFunc(f.Details(), func(d enlist.Detail) bool { return d.Key == doubleOptIn })
	if _, err := r.App.Lists.EditList(r.Context(), r.Caller, l.ID, others); err != nil {
		return nil, 0, err // before the change, which cannot be taken back
	}
	change, err = r.App.Contacts.StartChange(r.Context(), r.Caller, contacts.ChangeRequest{List: l.ID,
		Criteria: contacts.Unconfirmed(), Action: contacts.ChangeAction(choice.Value),
		Value: asks.Parts.Value("statement"), Count: seen, RequireConfirmation: true})
	if known := new(enlist.Error); errors.As(err, &known) && known.Kind == enlist.InvalidParameters {
		choice.Wrong = r.Said(known.Detail)
		return asks, 0, nil
	}
	return nil, change, err
}

// waitingInput asks what happens to n people who get mail now and have not confirmed. It has what was chosen.
func waitingInput(r *ui.Request, l *enlist.List, n int64) (*ui.Input, error) {
	noMail, err := r.NoMail()
	f := ui.Form{{Name: "count", Kind: ui.InputHidden, Value: ui.Plain(n)},
		{Kind: ui.InputNote, Label: r.Text("lists.waiting_about", "n", n, "part", r.Language.Percent(n, l.ContactCount))},
		{Name: "waiting", Label: r.Text("lists.waiting"), Kind: ui.InputRadio, Options: []ui.Option{
			{Value: string(contacts.ChangeConfirm), Text: r.Text("lists.waiting_confirm"),
				Help: r.Text("lists.waiting_confirm_help"), Parts: ui.Form{{Name: "statement", Kind: ui.InputArea, Rows: 2,
					Label: r.Text("lists.waiting_statement"), Most: contacts.MaxConsentText}}},
			{Value: string(contacts.ChangeAsk), Text: r.Text("lists.waiting_ask"),
				Help: strings.TrimSpace(r.Text("lists.waiting_ask_help") + " " + noMail)},
			{Value: wait, Text: r.Text("lists.waiting_wait"), Help: r.Text("lists.waiting_wait_help")}}}}
	f.Read(r)
	return &ui.Input{Kind: ui.InputAsk, Parts: f}, err
}

// askReceiving asks before a List no longer asks its people to confirm: Contacts without a confirmation get mail then. It
// returns nil without such Contacts, or if the user has agreed to as many as there are.
func askReceiving(r *ui.Request, l *enlist.List, f ui.Form) (*ui.Input, error) {
	if !l.DoubleOptIn || f.Value(doubleOptIn) != "" {
		return nil, nil
	}
	n, err := r.App.Contacts.CountContacts(r.Context(), r.Caller, l.ID, contacts.Unconfirmed())
	if err != nil || n == 0 || agreed(r, n) {
		return nil, err
	}
	return askInput(r.Text("lists.receiving_ask", "n", n), n), nil
}

// askInput asks the user to agree to what happens to n Contacts.
func askInput(question string, n int64) *ui.Input {
	return &ui.Input{Kind: ui.InputAsk, Parts: ui.Form{{Name: "agreed", Kind: ui.InputBoxes, Required: true,
		Options: ui.Choices(ui.Plain(n), question)}}}
}

// agreed reports whether the user has agreed to what happens to n Contacts.
func agreed(r *ui.Request, n int64) bool { return r.PostForm.Get("agreed") == ui.Plain(n) }
