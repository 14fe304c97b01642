package batches_test

import (
	"slices"
	"strings"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file tests the domains from which an Account may send Batches.

func sendersAreChecked(f *apptest.Batches) {
	contact := f.SubscribeMany(f.News, 1)[0]
	account := f.Caller.Account.ID
	f.Must(f.App.Accounts.SetSendingDomains(f.Context(), account, []string{"Shop.example", "exämple.com"}))
	request := batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{apptest.Whole(f.News)}}
	add := func(from string) (enlist.BatchID, error) {
		a := operator(f, account).Account
		f.Must(f.App.Accounts.SetSendingDomains(f.Context(), account, nil)) // so that the Message may have each sender
		_, err := f.App.Messages.EditMessage(f.Context(), f.Caller, f.Message, apptest.Details("from_address", from))
		f.Must(err)
		f.Must(f.App.Accounts.SetSendingDomains(f.Context(), account, strings.Fields(a.SendingDomains)))
		f.Caller = operator(f, account)
		return f.App.Batches.AddBatch(f.Context(), f.Caller, request)
	}
	for from, allowed := range map[string]bool{"a@shop.EXAMPLE": true, "a@xn--exmple-cua.com": true, "a@example.com": false, "a@sub.shop.example": false} {
		_, err := add(from)
		if allowed && err != nil || !allowed && (enlist.KindOf(err) != enlist.InvalidParameters || !strings.Contains(err.Error(), from)) {
			f.Errorf("a Batch from %s: %v, want it allowed: %t", from, err, allowed)
		}
		check, err := f.App.Batches.CheckBatch(f.Context(), f.Caller, request)
		f.Must(err)
		found := slices.ContainsFunc(check.Findings, func(x messages.Finding) bool {
			return x.Code == messages.FindingSender && x.Level == messages.FindingError && strings.Contains(x.Text, from)
		})
		if found == allowed {
			f.Errorf("checkBatch of a Batch from %s: %+v, want a finding: %t", from, check.Findings, !allowed)
		}
		shown, err := f.App.Messages.PreviewMessage(f.Context(), f.Caller, f.Message, f.News, contact)
		f.Must(err)
		found = slices.ContainsFunc(shown.Findings, func(text string) bool { return strings.Contains(text, "the sender "+from) })
		if found == allowed {
			f.Errorf("previewMessage from %s: %q, want a finding about the sender: %t", from, shown.Findings, !allowed)
		}
	}
	f.SendAll(nil)
	id, err := add("a@shop.example")
	f.Must(err)
	f.Prepare(id)
	f.Must(f.App.Accounts.SetSendingDomains(f.Context(), account, []string{"example.org"}))
	f.WantAddresses(f.SendAll(nil))
	if b := f.Batch(id); b.Status != batches.BatchPaused || !strings.Contains(b.Reason, "a@shop.example") {
		f.Errorf("the Batch is %s (%s), want it paused because of its sender", b.Status, b.Reason)
	}
	f.Must(f.App.Accounts.SetSendingDomains(f.Context(), account, nil))
	f.Edit(id, "unpause")
	f.Prepare(id)
	f.WantAddresses(f.SendAll(nil), "a0@example.com")
	f.Must(f.App.Accounts.SetSendingDomains(f.Context(), account, []string{"shop.example"}))
	f.Caller = operator(f, account)
	for name, allowed := range map[string]bool{"News": true, "news@shop.example": true, "boss@bank.example": false, "Boss (boss＠bank.example)": false} {
		_, err := f.App.Messages.EditMessage(f.Context(), f.Caller, f.Message, apptest.Details("from_name", name))
		_, listErr := f.App.Lists.EditList(f.Context(), f.Caller, f.News, apptest.Details("from_name", name))
		if (err == nil) != allowed || (listErr == nil) != allowed {
			f.Errorf("the name %q of a sender: %v for a Message, %v for a List; want it allowed: %t", name, err, listErr, allowed)
		}
	}
	f.Must(f.App.Accounts.SetSendingDomains(f.Context(), account, nil))
	_, err = f.App.Messages.EditMessage(f.Context(), f.Caller, f.Message, apptest.Details("from_name", "boss@bank.example"))
	f.Must(err)
	f.Must(f.App.Accounts.SetSendingDomains(f.Context(), account, []string{"shop.example"}))
	f.Caller = operator(f, account)
	if _, err := f.App.Batches.AddBatch(f.Context(), f.Caller, request); err == nil || !strings.Contains(err.Error(), "boss@bank.example") {
		f.Errorf("a Batch with the name boss@bank.example: error %v, want it refused", err)
	}
	if err := f.App.Accounts.SetSendingDomains(f.Context(), account, []string{"not a domain"}); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a text that is no domain: %v, want it refused", err)
	}
}

// mergedSendersAreChecked checks what is known of a sender before the values of a Contact are.
func mergedSendersAreChecked(f *apptest.Batches) {
	account := f.Caller.Account.ID
	f.Must(f.App.Accounts.SetSendingDomains(f.Context(), account, []string{"shop.example", "exämple.com"}))
	f.Caller = operator(f, account)
	for from, allowed := range map[string]bool{"{{Nick Name}}@shop.EXAMPLE": true, "{{Nick Name}}@exämple.com": true, "{{Owner}}": true,
		"{{Owner|a@shop.example}}": true, "news@{{Domain}}": true, "{{Nick Name}}@bank.example": false,
		"{{Owner|boss@bank.example}}": false, "news@{{Domain|bank.example}}": false} {
		_, err := f.App.Messages.EditMessage(f.Context(), f.Caller, f.Message, apptest.Details("from_address", from))
		if allowed != (err == nil) {
			f.Errorf("the sender %s: error %v, want it allowed: %t", from, err, allowed)
		}
	}
	_, err := f.App.Messages.EditMessage(f.Context(), f.Caller, f.Message, apptest.Details("from_address", "{{Owner}}"))
	f.Must(err)
	f.SubscribeMany(f.News, 1)
	request := batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{apptest.Whole(f.News)}}
	check, err := f.App.Batches.CheckBatch(f.Context(), f.Caller, request)
	f.Must(err)
	if !slices.ContainsFunc(check.Findings, func(x messages.Finding) bool { return strings.Contains(x.Text, `no Field "Owner"`) }) {
		f.Errorf("the findings %+v do not name the unknown Field of the sender", check.Findings)
	}
	domains, err := f.App.Accounts.FromDomains(f.Context())
	f.Must(err)
	if strings.Contains(strings.Join(domains, " "), "{") {
		f.Errorf("the domains of senders are %q, want none with a merge field", domains)
	}
	_, err = f.App.Batches.AddBatch(f.Context(), f.Caller, request)
	f.Must(err)
}

// operator returns a Caller with the current state of an Account.
func operator(f *apptest.Batches, id enlist.AccountID) *enlist.Caller {
	f.Helper()
	c, err := f.App.Accounts.Operator(f.Context(), id)
	f.Must(err)
	return c
}

func triedWithoutContact(f *apptest.Batches) {
	contact := f.SubscribeMany(f.News, 1)[0]
	for _, c := range []struct {
		role  enlist.Role
		level enlist.Level
		sees  bool
	}{{enlist.Sender, enlist.Standard, false}, {enlist.Writer, enlist.Standard, false}, {enlist.Manager, enlist.Full, true}, {"", enlist.Read, true}} {
		user := *f.Caller
		user.Hash, user.Actor = nil, enlist.Actor{User: "li@example.com"}
		user.Key = &enlist.Key{Name: "Li", AccountID: user.Account.ID, Role: c.role, Level: c.level}
		_, err := f.App.Messages.PreviewMessage(f.Context(), &user, f.Message, f.News, contact)
		f.Must(err)
		_, err = f.App.Messages.PreviewTyped(f.Context(), &user, messages.Typed{Message: f.Message, List: f.News, Contact: contact})
		f.Must(err)
		checked := f.Composer.Checked[len(f.Composer.Checked)-2:]
		for i := range checked {
			if sees := checked[i].Contact.ID == contact; sees != c.sees {
				f.Errorf("%s sees the mail of a Contact: %t", c.role, sees)
			}
		}
		err = f.App.Messages.SendTestMessage(f.Context(), &user, messages.TestRequest{Message: f.Message, List: f.News,
			Contact: contact + 99, Addresses: []string{"li@example.com"}})
		if told := enlist.KindOf(err) == enlist.NoContact; told != c.sees || err != nil && !told {
			f.Errorf("%s tries a mail of a Contact that is not there: %v", c.role, err)
		}
	}
}
