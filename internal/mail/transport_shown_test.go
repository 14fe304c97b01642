package mail

import (
	"context"
	"errors"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// bankDomains says that Account 2 has the domain bank.example.
type bankDomains struct{}

func (bankDomains) SigningKey(_ context.Context, account enlist.AccountID, domain string) (*enlist.SigningKey, error) {
	if domain == "bank.example" && account != 2 {
		return nil, accounts.ErrForeignDomain
	}
	return nil, nil
}

func (d bankDomains) RefusedDomain(ctx context.Context, account enlist.AccountID, domain string) (string, error) {
	if _, err := d.SigningKey(ctx, account, domain); err != nil {
		return "another Account has the domain of the sender @" + domain, nil
	}
	return "", nil
}

// A name that shows an address of another Account's domain is refused, as the address would be.
//
// covers: decision 110
func TestNameOfTheSenderShowsNoForeignAddress(t *testing.T) {
	c, _ := testComposer(t)
	e := newEncoder(Transport{Domains: bankDomains{}})
	e.settings = noSettings
	for name, refused := range map[string]bool{"News": false, "boss@bank.example": true, "Boss (boss＠bank.example)": true, "ann@ours.example": false} {
		for account := range enlist.AccountID(3) {
			m, err := c.message(header{fromName: name, from: "news@ours.example", to: "ann@example.com", key: "k", account: account})
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.signerOf(t.Context(), m)
			why, _ := errors.AsType[*messages.Undelivered](err)
			if want := refused && account != 2; want != (why != nil && why.Permanent) {
				t.Errorf("the name %q of Account %d: error %v, want it refused: %t", name, account, err, want)
			}
		}
	}
}

// A sender that depends on the Contact is checked for each mail.
//
// covers: decision 128, spec merge.address
func TestMergedSenderIsCheckedForEachMail(t *testing.T) {
	c, _ := testComposer(t)
	c.domains = bankDomains{}
	for _, test := range []struct{ value, name, from string }{
		{"ann@ours.example", "News", `"News" <ann@ours.example>`},
		{"ann@bank.example", "News", "another Account has the domain of the sender @bank.example"},
		{"ann@ours.example", "boss@bank.example", "another Account has the domain of the sender @bank.example"},
		{"", "News", "the merge fields of from_address make no email address"},
		{"ann@ours.example\r\nBcc: bob@example.com", "News", "the merge fields of from_address make no email address"},
	} {
		mail := testMail(&messages.Message{EmailType: messages.EmailPlain, Subject: "x", Text: "x", FromName: test.name,
			FromAddress: "{{Comment}}", ReplyTo: "{{First Name}}@ours.example"})
		mail.Contact.Values = mail.Contact.Values.Set(4, test.value)
		m, _, err := c.outgoing(t.Context(), mail)
		if why, _ := errors.AsType[*messages.Undelivered](err); why != nil {
			contains(t, "error", why.Error(), test.from)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		r := read(t, m)
		if from, reply := r.Get("From"), r.Get("Reply-To"); from != test.from || reply != "<Ann@ours.example>" || r.Get("Bcc") != "" {
			t.Errorf("the mail is from %q with replies to %q, want %q", from, reply, test.from)
		}
		if m.domain != "ours.example" {
			t.Errorf("the mail is signed for %s, want the domain of its sender", m.domain)
		}
	}
}
