package storetest

import (
	"slices"
	"strings"

	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file tests the domains from which an Account may send Batches.

func sendersAreChecked(f *batchFixture) {
	contact := f.subscribeMany(f.news, 1)[0]
	account := f.caller.Account.ID
	f.must(f.service.Accounts.SetSendingDomains(f.Context(), account, []string{"Shop.example", "exämple.com"}))
	request := batches.BatchRequest{Message: f.message, Populations: []batches.PopulationRequest{whole(f.news)}}
	add := func(from string) (enlist.BatchID, error) {
		a := f.operator(account).Account
		f.must(f.service.Accounts.SetSendingDomains(f.Context(), account, nil)) // so that the Message may have each sender
		_, err := f.service.Messages.EditMessage(f.Context(), f.caller, f.message, details("from_address", from))
		f.must(err)
		f.must(f.service.Accounts.SetSendingDomains(f.Context(), account, strings.Fields(a.SendingDomains)))
		f.caller = f.operator(account)
		return f.service.Batches.AddBatch(f.Context(), f.caller, request)
	}
	for from, allowed := range map[string]bool{"a@shop.EXAMPLE": true, "a@xn--exmple-cua.com": true, "a@example.com": false, "a@sub.shop.example": false} {
		_, err := add(from)
		if allowed && err != nil || !allowed && (enlist.KindOf(err) != enlist.InvalidParameters || !strings.Contains(err.Error(), from)) {
			f.Errorf("a Batch from %s: %v, want it allowed: %t", from, err, allowed)
		}
		check, err := f.service.Batches.CheckBatch(f.Context(), f.caller, request)
		f.must(err)
		found := slices.ContainsFunc(check.Findings, func(x messages.Finding) bool {
			return x.Code == messages.FindingSender && x.Level == messages.FindingError && strings.Contains(x.Text, from)
		})
		if found == allowed {
			f.Errorf("checkBatch of a Batch from %s: %+v, want a finding: %t", from, check.Findings, !allowed)
		}
		shown, err := f.service.Messages.PreviewMessage(f.Context(), f.caller, f.message, f.news, contact)
		f.must(err)
		if strings.Contains(shown.Findings[0], "the sender "+from) == allowed {
			f.Errorf("previewMessage from %s: %q, want a finding about the sender: %t", from, shown.Findings, !allowed)
		}
	}
	f.sendAll(nil)
	id, err := add("a@shop.example")
	f.must(err)
	f.prepare(id)
	f.must(f.service.Accounts.SetSendingDomains(f.Context(), account, []string{"example.org"}))
	f.wantAddresses(f.sendAll(nil))
	if b := f.batch(id); b.Status != batches.BatchPaused || !strings.Contains(b.Reason, "a@shop.example") {
		f.Errorf("the Batch is %s (%s), want it paused because of its sender", b.Status, b.Reason)
	}
	f.must(f.service.Accounts.SetSendingDomains(f.Context(), account, nil))
	f.edit(id, "unpause")
	f.prepare(id)
	f.wantAddresses(f.sendAll(nil), "a0@example.com")
	if err := f.service.Accounts.SetSendingDomains(f.Context(), account, []string{"not a domain"}); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a text that is no domain: %v, want it refused", err)
	}
}

// operator returns a Caller with the current state of an Account.
func (f *batchFixture) operator(id enlist.AccountID) *enlist.Caller {
	f.Helper()
	c, err := f.service.Accounts.Operator(f.Context(), id)
	f.must(err)
	return c
}
