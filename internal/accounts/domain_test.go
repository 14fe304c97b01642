package accounts_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file tests sending domains, and which addresses an Account may send from.

// covers: decision 110
func TestSendingDomains(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "the key of a sending domain signs until the operator switches to the next", Test: sendingDomainKeys},
		{Name: "no Account sends from the sending domain of another", Test: domainsOfOtherAccounts},
		{Name: "an Account with sending domains sends from these only", Test: fromAddresses},
	})
}

// addDomain adds a sending domain with an Ed25519 key, which is made faster than one of RSA.
func addDomain(o *apptest.Account, account enlist.AccountID, domain string) *accounts.SendingDomain {
	o.Helper()
	d, err := o.App.Accounts.AddSendingDomain(o.Context(), accounts.NewSendingDomain{Account: account, Domain: domain, Type: accounts.DKIMEd25519})
	o.Must(err)
	return d
}

// wantSigningKey checks which key signs the mails of an Account from a domain: that of a selector, with "" none of the Account.
func wantSigningKey(o *apptest.Account, account enlist.AccountID, domain, selector string) {
	o.Helper()
	readMail(o)
	for range 2 { // the second call uses the cache
		key, err := o.App.Accounts.SigningKey(o.Context(), account, domain)
		if err != nil || (key == nil) != (selector == "") || key != nil && (key.Selector != selector || key.Domain != domain || key.Signer == nil) {
			o.Errorf("the key for %s in Account %d is %+v, %v, want the selector %q", domain, account, key, err, selector)
		}
	}
}

// readMail reads an Account in a transaction, as the transaction does that reads a mail before it is signed. So the
// process knows of changes of definitions.
func readMail(o *apptest.Account) {
	o.Helper()
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error { _, err := accounts.ByID(tx, o.Caller.Account.ID); return err }))
}

func sendingDomainKeys(o *apptest.Account) {
	account, ctx := o.Caller.Account.ID, o.Context()
	d := addDomain(o, account, "Exämple.org.")
	if d.Domain != "xn--exmple-cua.org" || d.Key.Selector != "enlist20260615" || d.CreationTime != o.Now.Unix() {
		o.Errorf("the domain is %+v", d)
	}
	addDomain(o, account, "a.example")
	wantSigningKey(o, account, d.Domain, d.Key.Selector)
	rotate := func(selector string) error {
		_, err := o.App.Accounts.RotateSendingDomain(ctx, accounts.NewSendingDomain{Domain: d.Domain, Selector: selector, Type: accounts.DKIMEd25519})
		return err
	}
	o.Refused(rotate(d.Key.Selector), enlist.InvalidParameters, "in use")
	o.Refused(rotate("a.b"), enlist.InvalidParameters, "selector")
	o.Must(rotate("s2"))
	o.Refused(rotate("s3"), enlist.InvalidParameters, "s2")
	wantSigningKey(o, account, d.Domain, d.Key.Selector)
	o.Now = o.Now.AddDate(0, 1, 0)
	_, err := o.App.Accounts.SwitchSendingDomain(ctx, d.Domain)
	o.Must(err)
	wantSigningKey(o, account, d.Domain, "s2")
	_, err = o.App.Accounts.SwitchSendingDomain(ctx, d.Domain)
	o.Refused(err, enlist.InvalidParameters, "no next key")
	o.Refused(rotate(d.Key.Selector), enlist.InvalidParameters, "in use")
	all, err := o.App.Accounts.SendingDomains(ctx)
	o.Must(err)
	if len(all) != 2 || all[0].Domain != "a.example" || all[1].OldSelector != d.Key.Selector || all[1].SwitchTime != o.Now.Unix() ||
		all[1].Next != (accounts.DKIMKey{}) || !all[1].OldRecordIsNeeded(o.Now) || all[1].OldRecordIsNeeded(o.Now.AddDate(0, 0, 8)) {
		o.Errorf("the domains are %+v", all)
	}
	_, err = o.App.Accounts.RemoveSendingDomain(ctx, d.Domain)
	o.Must(err)
	wantSigningKey(o, account, d.Domain, "")
	_, err = o.App.Accounts.SendingDomain(ctx, d.Domain)
	o.Refused(err, enlist.InvalidParameters, "no Account has")
	for _, bad := range []accounts.NewSendingDomain{{Account: account, Domain: "no domain"}, {Account: 99, Domain: "b.example"},
		{Account: account, Domain: "b.example", Type: "dsa"}, {Account: account, Domain: "b.example", Selector: "Ä"}} {
		_, err := o.App.Accounts.AddSendingDomain(ctx, bad)
		o.Refused(err, enlist.InvalidParameters, "")
	}
}

func domainsOfOtherAccounts(o *apptest.Account) {
	mine, yours, ctx := o.Caller.Account.ID, o.NewCaller(), o.Context()
	addDomain(o, mine, "example.org")
	_, err := o.App.Accounts.AddSendingDomain(ctx, accounts.NewSendingDomain{Account: yours.Account.ID, Domain: "Example.org", Type: accounts.DKIMEd25519})
	o.Refused(err, enlist.InvalidParameters, "has the domain")
	readMail(o)
	for _, domain := range []string{"example.org", "news.example.org"} {
		if key, err := o.App.Accounts.SigningKey(ctx, yours.Account.ID, domain); key != nil || !errors.Is(err, accounts.ErrForeignDomain) {
			o.Errorf("the key for %s in another Account is %+v, %v, want it refused", domain, key, err)
		}
		_, err := o.App.Messages.AddMessage(ctx, yours, apptest.Details("name", "x", "subject", "x", "from_address", "a@"+domain))
		o.Refused(err, enlist.InvalidParameters, "from_address: another Account has the domain")
	}
	wantSigningKey(o, mine, "news.example.org", "") // each subdomain needs an entry of its own
	wantSigningKey(o, yours.Account.ID, "example.com", "")
	addDomain(o, yours.Account.ID, "news.example.org") // the operator may give a subdomain to another Account
	wantSigningKey(o, yours.Account.ID, "news.example.org", "enlist20260615")
	wantSigningKey(o, mine, "example.org", "enlist20260615")
	readMail(o)
	if _, err := o.App.Accounts.SigningKey(ctx, mine, "news.example.org"); !errors.Is(err, accounts.ErrForeignDomain) {
		o.Errorf("the subdomain of another Account: %v, want it refused", err)
	}
}

func fromAddresses(o *apptest.Account) {
	ctx, c := o.Context(), o.Caller
	old := o.AddList("from_address", "old@old.example")
	message, err := o.App.Messages.AddMessage(ctx, c, apptest.Details("name", "May", "subject", "May", "from_address", "old@old.example"))
	o.Must(err)
	addDomain(o, c.Account.ID, "example.org")
	for from, allowed := range map[string]bool{"a@Example.ORG": true, "": true, "a@old.example": false, "a@news.example.org": false} {
		_, added := o.App.Lists.AddList(ctx, c, apptest.Details("name", "x", "from_address", from))
		_, edited := o.App.Lists.EditList(ctx, c, o.AddList(), apptest.Details("from_address", from))
		_, new := o.App.Messages.AddMessage(ctx, c, apptest.Details("name", "x", "subject", "x", "from_address", from))
		other, err := o.App.Messages.AddMessage(ctx, c, apptest.Details("name", "x", "subject", "x"))
		o.Must(err)
		_, changed := o.App.Messages.EditMessage(ctx, c, other, apptest.Details("from_address", from))
		for _, err := range []error{added, edited, new, changed} {
			if allowed {
				o.Must(err)
			} else {
				o.Refused(err, enlist.InvalidParameters, "from_address: the sender "+from)
			}
		}
	}
	_, err = o.App.Lists.EditList(ctx, c, old, apptest.Details("from_address", "old@old.example", "name", "Same sender"))
	o.Must(err)
	_, err = o.App.Messages.EditMessage(ctx, c, message, apptest.Details("from_address", "old@old.example", "name", "Same sender"))
	o.Must(err)
	problems, err := o.App.Accounts.RefusedSenders(ctx)
	o.Must(err)
	if len(problems) != 2 || !slices.ContainsFunc(problems, func(p string) bool {
		return strings.Contains(p, "Message 1 ") && strings.Contains(p, "old@old.example")
	}) ||
		!slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, "List 1 ") }) {
		o.Errorf("the refused senders are %q, want List 1 and Message 1", problems)
	}
	o.Must(o.App.Accounts.SetSendingDomains(ctx, c.Account.ID, []string{"old.example"})) // for a domain that the mail server signs
	problems, err = o.App.Accounts.RefusedSenders(ctx)
	o.Must(err)
	if len(problems) != 0 {
		o.Errorf("the refused senders are %q, want none: the operator allowed their domain", problems)
	}
}
