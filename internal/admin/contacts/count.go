package contacts

import (
	"context"
	"errors"
	"html/template"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file counts the Contacts that match, for the page and for its script.

// countWait is how long the counts may take together that the script of the page asks for.
const countWait = 300 * time.Millisecond

// count is how many Contacts match.
type count struct {
	Match, All int64
	Reachable  int64  // of those that match, how many can get mail; -1: not counted
	Took       int64  // milliseconds
	Slow       bool   // the count was given up
	AtLeast    int64  // then as many match: those that the table shows and those before them
	Refresh    string // URL of the count for the script, which waits longer; "": none
	Wrong      string // what is wrong with the conditions
	Unused     int    // conditions without a value
	Bar        template.HTML
	Share      string

	spent time.Duration // also on a count that was given up
}

// read counts the Contacts that match, as far as there is time. The script of a page asks again for a count that was
// given up.
func (n *count) read(r *ui.Request, b *builder, v view) error {
	n.All, n.Reachable = b.list.ContactCount, -1
	wait := ui.CountWait
	if r.Fragment() {
		wait = countWait
	}
	began := time.Now()
	n.Slow = true // until the first count has ended
	criteria := b.criteria(v)
	late, err := ui.Within(r.Context(), n.All, wait, func(ctx context.Context) (err error) {
		if n.Match, err = r.App.Contacts.CountContacts(ctx, r.Caller, v.list, criteria); err != nil {
			return err
		}
		n.Took, n.Slow = time.Since(began).Milliseconds(), false
		n.Reachable, err = r.App.Contacts.CountContacts(ctx, r.Caller, v.list, b.reachable(criteria))
		return err
	})
	n.spent = time.Since(began)
	if late {
		n.Reachable = -1
		if !r.Fragment() {
			n.Refresh = v.url()
		}
	}
	if wrong := new(enlist.Error); errors.As(err, &wrong) && wrong.Kind == enlist.InvalidSearch {
		n.Wrong, n.Slow, err = wrong.Error(), false, nil
	}
	n.Share = r.Language.Percent(n.Match, n.All)
	n.Bar = r.Stack(r.Text("contacts.share_of_list", "share", n.Share), []ui.Part{
		{Name: r.Text("contacts.match_part"), Class: "s1", Count: n.Match},
		{Name: r.Text("contacts.others_part"), Class: "s3", Count: max(0, n.All-n.Match)}})
	return err
}

// reachable returns criteria of those of the Contacts that can get mail.
func (b *builder) reachable(criteria *enlist.Criteria) *enlist.Criteria {
	is := func(key, value string) enlist.Criteria {
		return enlist.Criteria{Key: key, Operator: "exactly", Value: enlist.TextInput(value)}
	}
	all := []enlist.Criteria{is("is_active", "1"), is("is_unsubscribed", "0")}
	if b.list.DoubleOptIn {
		all = append(all, is("double_opt_in", "1"))
	}
	if criteria != nil {
		all = append(all, *criteria)
	}
	return &enlist.Criteria{All: all}
}
