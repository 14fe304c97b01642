package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file checks from which addresses an Account may send. An Account with sending domains (domain.go), or with a
// list of domains that the operator has set, may use only these. No other Account may use its sending domains.
// reference.md: batch.sender; decisions.md: 63, 110

// Sender is the from_address of a List or of a Message. The other ID is 0.
type Sender struct {
	List    enlist.ListID
	Message enlist.MessageID
	From    string
}

// SetSendingDomains sets a list of domains that the senders of an Account may have, besides its sending domains.
// Without both, any sender is allowed. Errors: InvalidParameters.
func (s *Service) SetSendingDomains(ctx context.Context, id enlist.AccountID, domains []string) error {
	names := make([]string, len(domains))
	for i, text := range domains {
		domain, err := readDomain(text)
		if err != nil {
			return err
		}
		names[i] = domain
	}
	return s.EditAccount(ctx, id, func(a *enlist.Account) { a.SendingDomains = strings.Join(names, " ") })
}

// RefusalOf returns why the Account may not send from an address, or "" if it may. An address whose domain has merge
// fields is checked when a mail is made.
func RefusalOf(a *enlist.Account, tx *db.Tx, from string) (string, error) {
	if hasMergedDomain(from) {
		return "", nil
	}
	switch _, err := ownKey(a.ID, senderDomain(from), func(domain string) (*enlist.SigningKey, error) {
		return signingKey(tx, domain)
	}); {
	case errors.Is(err, ErrForeignDomain):
		return "another Account has the domain of the sender " + from, nil
	case err != nil:
		return "", err
	}
	return MissingDomain(a, tx, from)
}

// senderDomain returns the normalised domain of a from_address, which may have merge fields before its domain.
func senderDomain(from string) string {
	return address.Domain("x@" + from[strings.LastIndexByte(from, '@')+1:])
}

// hasMergedDomain reports whether the domain of a from_address depends on the Contact: no domain has braces.
func hasMergedDomain(from string) bool { return strings.ContainsAny(senderDomain(from), "{}") }

// RefusedDomain returns why the Account may not send from a domain, or "" if it may. It reads what the Account may do
// at this moment.
func (s *Service) RefusedDomain(ctx context.Context, account enlist.AccountID, domain string) (string, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (string, error) {
		a, err := ByID(tx, account)
		if err != nil {
			return "", err
		}
		return RefusalOf(a, tx, "@"+domain) // without a local part, which may be of a person
	})
}

// MissingDomain is refusal for the default sender of the server, which may have the domain of another Account.
func MissingDomain(a *enlist.Account, tx *db.Tx, from string) (string, error) {
	names, err := sendingDomainNames(tx, a.ID)
	if err != nil {
		return "", err
	}
	allowed := slices.Concat(strings.Fields(a.SendingDomains), names)
	if len(allowed) == 0 || slices.Contains(allowed, senderDomain(from)) {
		return "", nil
	}
	slices.Sort(allowed)
	return "the sender " + from + " has none of the domains that the Account may use: " +
		strings.Join(slices.Compact(allowed), " "), nil
}

// NameRefusal returns why the Account may not send with a display name, or "" if it may. Many mail programs show only
// the name, so an address in it counts like the address of the sender.
func NameRefusal(a *enlist.Account, tx *db.Tx, name string) (string, error) {
	for _, shown := range address.Shown(name) {
		if why, err := RefusalOf(a, tx, shown); err != nil || why != "" {
			return "the name of the sender shows an address: " + why, err
		}
	}
	return "", nil
}

// NamedSender are the from_name and the from_address of a List or of a Message.
type NamedSender struct{ Name, From string }

// CheckSender refuses a new from_name or from_address that the Account may not use. old is the sender before the
// change: a caller that sends a whole record back may leave it as it is. Errors: InvalidParameters.
func CheckSender(tx *db.Tx, account enlist.AccountID, sender, old NamedSender) error {
	for _, value := range []struct {
		key, text, old string
		refusal        func(*enlist.Account, *db.Tx, string) (string, error)
	}{{"from_address", sender.From, old.From, RefusalOf}, {"from_name", sender.Name, old.Name, NameRefusal}} {
		if value.text == "" || value.text == value.old {
			continue
		}
		a, err := ByID(tx, account)
		if err != nil {
			return err
		}
		why, err := value.refusal(a, tx, value.text)
		if err != nil {
			return err
		}
		if why != "" {
			return enlist.Invalid(value.key, why)
		}
	}
	return nil
}

// FromDomains returns the domains from which Accounts send, in ASCII and lower case: those of the from_address of Lists
// and Messages, and the sending domains.
func (s *Service) FromDomains(ctx context.Context) ([]string, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (domains []string, err error) {
		accounts, err := All(tx)
		if err != nil {
			return nil, err
		}
		for i := range accounts {
			names, err := sendingDomainNames(tx, accounts[i].ID)
			if err != nil {
				return nil, err
			}
			senders, err := senders(tx, accounts[i].ID)
			if err != nil {
				return nil, err
			}
			domains = append(domains, names...)
			for _, f := range senders {
				if !hasMergedDomain(f.From) {
					domains = append(domains, senderDomain(f.From))
				}
			}
			slices.Sort(domains)
			domains = slices.Compact(domains)
		}
		return domains, nil
	})
}

// maxRefusedSenders is the largest number of senders that RefusedSenders returns for an Account.
const maxRefusedSenders = 20

// RefusedSenders returns which Lists and Messages have a from_address that their Account may not use, in sentences.
// Such an address was set before the Account had a sending domain, or has moved in. Batches from it are refused, and
// other mails are not signed by its domain.
func (s *Service) RefusedSenders(ctx context.Context) (sentences []string, err error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (sentences []string, err error) {
		accounts, err := All(tx)
		if err != nil {
			return nil, err
		}
		for i := range accounts {
			ofAccount, err := refusedSenders(&accounts[i], tx)
			if err != nil {
				return nil, err
			}
			sentences = append(sentences, ofAccount...)
		}
		return sentences, nil
	})
}

func refusedSenders(a *enlist.Account, tx *db.Tx) (sentences []string, err error) {
	used, err := senders(tx, a.ID)
	if err != nil {
		return nil, err
	}
	more := 0
	for _, f := range used {
		why, err := RefusalOf(a, tx, f.From)
		switch {
		case err != nil:
			return nil, err
		case why == "":
		case len(sentences) == maxRefusedSenders:
			more++
		case f.Message != 0:
			sentences = append(sentences, fmt.Sprintf("from_address of Message %d in Account %d: %s", f.Message, a.ID,
				why))
		default:
			sentences = append(sentences, fmt.Sprintf("from_address of List %d in Account %d: %s", f.List, a.ID, why))
		}
	}
	if more > 0 {
		sentences = append(sentences, fmt.Sprintf("from_address of %d more Lists and Messages in Account %d", more,
			a.ID))
	}
	return sentences, nil
}
