package storetest

import (
	"errors"
	"slices"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file tests sending domains, and which addresses an Account may send from.

// addDomain adds a sending domain with an Ed25519 key, which is made faster than one of RSA.
func (o *accountFixture) addDomain(account enlist.AccountID, domain string) *accounts.SendingDomain {
	o.Helper()
	d, err := o.service.Accounts.AddSendingDomain(o.Context(), accounts.NewSendingDomain{Account: account, Domain: domain, Type: accounts.DKIMEd25519})
	o.must(err)
	return d
}

// wantSigningKey checks which key signs the mails of an Account from a domain: that of a selector, with "" none of the Account.
func (o *accountFixture) wantSigningKey(account enlist.AccountID, domain, selector string) {
	o.Helper()
	o.readMail()
	for range 2 { // the second call uses the cache
		key, err := o.service.Accounts.SigningKey(o.Context(), account, domain)
		if err != nil || (key == nil) != (selector == "") || key != nil && (key.Selector != selector || key.Domain != domain || key.Signer == nil) {
			o.Errorf("the key for %s in Account %d is %+v, %v, want the selector %q", domain, account, key, err, selector)
		}
	}
}

// readMail reads an Account in a transaction, as the transaction does that reads a mail before it is signed. So the
// process knows of changes of definitions.
func (o *accountFixture) readMail() {
	o.Helper()
	o.must(o.store.View(o.Context(), func(tx *db.Tx) error { _, err := accounts.ByID(tx, o.caller.Account.ID); return err }))
}

func sendingDomainKeys(o *accountFixture) {
	account, ctx := o.caller.Account.ID, o.Context()
	d := o.addDomain(account, "Exämple.org.")
	if d.Domain != "xn--exmple-cua.org" || d.Key.Selector != "enlist20260615" || d.CreationTime != o.now.Unix() {
		o.Errorf("the domain is %+v", d)
	}
	o.addDomain(account, "a.example")
	o.wantSigningKey(account, d.Domain, d.Key.Selector)
	rotate := func(selector string) error {
		_, err := o.service.Accounts.RotateSendingDomain(ctx, accounts.NewSendingDomain{Domain: d.Domain, Selector: selector, Type: accounts.DKIMEd25519})
		return err
	}
	o.refused(rotate(d.Key.Selector), enlist.InvalidParameters, "in use")
	o.refused(rotate("a.b"), enlist.InvalidParameters, "selector")
	o.must(rotate("s2"))
	o.refused(rotate("s3"), enlist.InvalidParameters, "s2")
	o.wantSigningKey(account, d.Domain, d.Key.Selector)
	o.now = o.now.AddDate(0, 1, 0)
	_, err := o.service.Accounts.SwitchSendingDomain(ctx, d.Domain)
	o.must(err)
	o.wantSigningKey(account, d.Domain, "s2")
	_, err = o.service.Accounts.SwitchSendingDomain(ctx, d.Domain)
	o.refused(err, enlist.InvalidParameters, "no next key")
	o.refused(rotate(d.Key.Selector), enlist.InvalidParameters, "in use")
	all, err := o.service.Accounts.SendingDomains(ctx)
	o.must(err)
	if len(all) != 2 || all[0].Domain != "a.example" || all[1].OldSelector != d.Key.Selector || all[1].SwitchTime != o.now.Unix() ||
		all[1].Next != (accounts.DKIMKey{}) || !all[1].OldRecordIsNeeded(o.now) || all[1].OldRecordIsNeeded(o.now.AddDate(0, 0, 8)) {
		o.Errorf("the domains are %+v", all)
	}
	_, err = o.service.Accounts.RemoveSendingDomain(ctx, d.Domain)
	o.must(err)
	o.wantSigningKey(account, d.Domain, "")
	_, err = o.service.Accounts.SendingDomain(ctx, d.Domain)
	o.refused(err, enlist.InvalidParameters, "no Account has")
	for _, bad := range []accounts.NewSendingDomain{{Account: account, Domain: "no domain"}, {Account: 99, Domain: "b.example"},
		{Account: account, Domain: "b.example", Type: "dsa"}, {Account: account, Domain: "b.example", Selector: "Ä"}} {
		_, err := o.service.Accounts.AddSendingDomain(ctx, bad)
		o.refused(err, enlist.InvalidParameters, "")
	}
}

func domainsOfOtherAccounts(o *accountFixture) {
	mine, yours, ctx := o.caller.Account.ID, o.newCaller(), o.Context()
	o.addDomain(mine, "example.org")
	_, err := o.service.Accounts.AddSendingDomain(ctx, accounts.NewSendingDomain{Account: yours.Account.ID, Domain: "Example.org", Type: accounts.DKIMEd25519})
	o.refused(err, enlist.InvalidParameters, "has the domain")
	o.readMail()
	for _, domain := range []string{"example.org", "news.example.org"} {
		if key, err := o.service.Accounts.SigningKey(ctx, yours.Account.ID, domain); key != nil || !errors.Is(err, accounts.ErrForeignDomain) {
			o.Errorf("the key for %s in another Account is %+v, %v, want it refused", domain, key, err)
		}
		_, err := o.service.Messages.AddMessage(ctx, yours, details("name", "x", "subject", "x", "from_address", "a@"+domain))
		o.refused(err, enlist.InvalidParameters, "from_address: another Account has the domain")
	}
	o.wantSigningKey(mine, "news.example.org", "") // each subdomain needs an entry of its own
	o.wantSigningKey(yours.Account.ID, "example.com", "")
	o.addDomain(yours.Account.ID, "news.example.org") // the operator may give a subdomain to another Account
	o.wantSigningKey(yours.Account.ID, "news.example.org", "enlist20260615")
	o.wantSigningKey(mine, "example.org", "enlist20260615")
	o.readMail()
	if _, err := o.service.Accounts.SigningKey(ctx, mine, "news.example.org"); !errors.Is(err, accounts.ErrForeignDomain) {
		o.Errorf("the subdomain of another Account: %v, want it refused", err)
	}
}

func fromAddresses(o *accountFixture) {
	ctx, c := o.Context(), o.caller
	old := o.addList("from_address", "old@old.example")
	message, err := o.service.Messages.AddMessage(ctx, c, details("name", "May", "subject", "May", "from_address", "old@old.example"))
	o.must(err)
	o.addDomain(c.Account.ID, "example.org")
	for from, allowed := range map[string]bool{"a@Example.ORG": true, "": true, "a@old.example": false, "a@news.example.org": false} {
		_, added := o.service.Lists.AddList(ctx, c, details("name", "x", "from_address", from))
		_, edited := o.service.Lists.EditList(ctx, c, o.addList(), details("from_address", from))
		_, new := o.service.Messages.AddMessage(ctx, c, details("name", "x", "subject", "x", "from_address", from))
		other, err := o.service.Messages.AddMessage(ctx, c, details("name", "x", "subject", "x"))
		o.must(err)
		_, changed := o.service.Messages.EditMessage(ctx, c, other, details("from_address", from))
		for _, err := range []error{added, edited, new, changed} {
			if allowed {
				o.must(err)
			} else {
				o.refused(err, enlist.InvalidParameters, "from_address: the sender "+from)
			}
		}
	}
	_, err = o.service.Lists.EditList(ctx, c, old, details("from_address", "old@old.example", "name", "Same sender"))
	o.must(err)
	_, err = o.service.Messages.EditMessage(ctx, c, message, details("from_address", "old@old.example", "name", "Same sender"))
	o.must(err)
	problems, err := o.service.Accounts.RefusedSenders(ctx)
	o.must(err)
	if len(problems) != 2 || !slices.ContainsFunc(problems, func(p string) bool {
		return strings.Contains(p, "Message 1 ") && strings.Contains(p, "old@old.example")
	}) ||
		!slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, "List 1 ") }) {
		o.Errorf("the refused senders are %q, want List 1 and Message 1", problems)
	}
	o.must(o.service.Accounts.SetSendingDomains(ctx, c.Account.ID, []string{"old.example"})) // for a domain that the mail server signs
	problems, err = o.service.Accounts.RefusedSenders(ctx)
	o.must(err)
	if len(problems) != 0 {
		o.Errorf("the refused senders are %q, want none: the operator allowed their domain", problems)
	}
}
