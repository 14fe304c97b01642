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
