package lists

import (
	"errors"
	"slices"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file asks what happens to the people of a List who have not confirmed, when a user makes the List ask for it, or
// no longer ask.

const doubleOptIn = "double_opt_in_required"

// waiting asks what happens to people who get mail now and have not confirmed.
type waiting struct {
	Count            int64
	Choice           string // one of the actions of a change, or wait
	Statement, Wrong string
	Part             string // of all Contacts
	NoMail           string // why no mail leaves now, or ""
}

// Is reports whether a choice is made, for the template.
func (w *waiting) Is(choice string) bool { return w.Choice == choice }

// wait means that people get no mail until they confirm.
const wait = "wait"

// confirmFirst makes the List ask its people to confirm, and starts the change of people who have not confirmed. It
// returns what to ask if the user has not chosen yet, and the ID of the change, or 0 without a change.
func (p *pages) confirmFirst(r *ui.Request, l *enlist.List, f ui.Form) (asks *waiting, change int64, err error) {
	w := &waiting{Choice: r.PostForm.Get("waiting"), Statement: r.PostForm.Get("statement")}
	w.Count, err = r.App.Contacts.CountContacts(r.Context(), r.Caller, l.ID, contacts.Unconfirmed())
	if err != nil || w.Count == 0 {
		return nil, 0, err
	}
	w.Part = ui.Percent(w.Count, l.ContactCount)
	if w.NoMail, err = r.NoMail(); err != nil {
		return nil, 0, err
	}
	switch w.Choice {
	case wait:
		if ui.Int(r.PostForm.Get("count")) == w.Count {
			return nil, 0, nil
		}
		w.Wrong = r.Text("lists.waiting_changed", "n", w.Count)
		return w, 0, nil
	case string(contacts.ChangeConfirm), string(contacts.ChangeAsk):
	default:
		return w, 0, nil
	}
	others := slices.DeleteFunc(f.Details(), func(d enlist.Detail) bool { return d.Key == doubleOptIn })
	if _, err := r.App.Lists.EditList(r.Context(), r.Caller, l.ID, others); err != nil {
		return nil, 0, err // before the change, which cannot be taken back
	}
	change, err = r.App.Contacts.StartChange(r.Context(), r.Caller, contacts.ChangeRequest{List: l.ID,
		Criteria: contacts.Unconfirmed(), Action: contacts.ChangeAction(w.Choice), Value: w.Statement,
		Count: ui.Int(r.PostForm.Get("count")), RequireConfirmation: true})
	if known := new(enlist.Error); errors.As(err, &known) && known.Kind == enlist.InvalidParameters {
		w.Wrong = ui.Sentence(known.Detail)
		return w, 0, nil
	}
	return nil, change, err
}

// askWaiting shows the settings again, with the question.
func (p *pages) askWaiting(r *ui.Request, l *enlist.List, f ui.Form, asks *waiting) *ui.View {
	v := p.showSettings(r, l, f, r.Text("lists.waiting_first"))
	d := v.Data.(formData)
	d.Waiting = asks
	v.Data = d
	return v
}

// askReceiving asks before a List no longer asks its people to confirm: Contacts without a confirmation get mail then. It
// returns nil without such Contacts, or if the user has agreed to as many as there are.
func (p *pages) askReceiving(r *ui.Request, l *enlist.List, f ui.Form) (*ui.View, error) {
	if !l.DoubleOptIn || f.Value(doubleOptIn) != "" {
		return nil, nil
	}
	n, err := r.App.Contacts.CountContacts(r.Context(), r.Caller, l.ID, contacts.Unconfirmed())
	if err != nil || n == 0 || agreed(r, n) {
		return nil, err
	}
	v := p.showSettings(r, l, f, r.Text("lists.receiving_first"))
	d := v.Data.(formData)
	d.Count, d.Who = n, unconfirmedOf(l.ID)
	d.Ask = r.Text("lists.receiving_ask", "n", n)
	v.Data = d
	return v, nil
}

// agreed reports whether the user has agreed to what happens to n Contacts.
func agreed(r *ui.Request, n int64) bool { return r.PostForm.Get("agreed") == ui.Plain(n) }
