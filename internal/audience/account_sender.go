package audience

import (
	"context"
	"strings"

	"enlist/internal/address"
)

// This file has the domains of the senders from which an Account may send Batches. The operator sets
// them. specification: batch.sender; decisions.md: 63

// SetSendingDomains sets the domains that the senders of an Account's Batches must have. Without
// domains, any sender is allowed. Errors: InvalidParameters.
func (s *Service) SetSendingDomains(ctx context.Context, id AccountID, domains []string) error {
	all := make([]string, len(domains))
	for i, domain := range domains {
		_, key, ok := address.ParseEmail("x@" + domain)
		if !ok {
			return Refuse(InvalidParameters, "%q is not a domain such as example.com", domain)
		}
		all[i] = domainOf(key)
	}
	return s.editAccount(ctx, id, func(a *Account) { a.SendingDomains = strings.Join(all, " ") })
}

// allowsSender reports whether the Account may send Batches from an address.
func (a *Account) allowsSender(from string) bool {
	if a.SendingDomains == "" {
		return true
	}
	for domain := range strings.FieldsSeq(a.SendingDomains) {
		if domainOf(from) == domain {
			return true
		}
	}
	return false
}

// senderOf returns the sender of a Message's mails to a List, or "" if the settings have no default sender.
func (s *Service) senderOf(m *Message, list *List) string {
	for _, from := range []string{m.FromAddress, list.FromAddress, s.sending.From} {
		if from != "" {
			return from
		}
	}
	return ""
}

// checkSenders refuses a Batch if one of its senders is not allowed. An unknown sender is allowed
// here: the command line does not know the default sender, and the sender of Batches checks again.
func (s *Service) checkSenders(tx Tx, a *Account, m *Message, populations []Population) error {
	for i := range populations {
		schema, err := tx.Schema(populations[i].List)
		if err != nil {
			return err
		}
		if from := s.senderOf(m, &schema.List); from != "" && !a.allowsSender(from) {
			return invalid("message_id", a.refusedSender(from))
		}
	}
	return nil
}

// refusedSender says why an Account may not send from an address.
func (a *Account) refusedSender(from string) string {
	return "the sender " + from + " has none of the domains that the Account may use: " + a.SendingDomains
}

// pauseSender pauses a Batch whose sender is not allowed any more.
func (b *Batch) pauseSender(tx BatchTx, a *Account, from string) error {
	b.Status, b.Reason = BatchPaused, a.refusedSender(from)
	return tx.SetBatchState(b)
}
