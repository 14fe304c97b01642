package messages

import (
	"cmp"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// DefaultSender is the Finding for a List whose mails have the sender of the server.
func (s *Service) DefaultSender(list *enlist.List) Finding {
	from := "the sender of the server"
	if address := s.senderOf(list.AccountID); address != "" {
		from += ", " + address
	}
	return Finding{Level: FindingNote, Code: FindingDefaultSender,
		Text: "the Message and the List " + enlist.Quoted(list.Name) + " have no from_address: its emails come from " +
			from}
}

// senderOf returns the sender of the mails of an Account whose Message and List have none. It is "" if none is set.
func (s *Service) senderOf(account enlist.AccountID) string {
	if from := s.accounts.Settings().Of(account).From; from != "" {
		return from
	}
	return s.sending.Load().From
}

// SendDelay returns for how many minutes a Batch of an Account can be stopped before it begins.
func (s *Service) SendDelay(account enlist.AccountID) int64 {
	return s.accounts.Settings().Of(account).SendDelay
}

// ApproveAbove returns to how many Contacts a Batch of an Account goes without the approval of a second user, and whether
// this is also for Batches of API keys; 0: to all.
func (s *Service) ApproveAbove(account enlist.AccountID) (most int64, ofKeys bool) {
	settings := s.accounts.Settings().Of(account)
	return settings.ApproveAbove, settings.ApproveKeys
}

// Sender returns the address of the sender of a Message to a List. It is "" if none is set.
func (s *Service) Sender(m *Message, list *enlist.List) string {
	return cmp.Or(m.FromAddress, list.FromAddress, s.senderOf(list.AccountID))
}

// SenderRefusal returns why a Message may not be sent to a List with its sender. An unknown sender is allowed: the
// command line does not know the default sender, and the sender of Batches checks again.
func (s *Service) SenderRefusal(tx *db.Tx, a *enlist.Account, m *Message,
	list *enlist.List) (from, why string, err error) {
	from = cmp.Or(m.FromAddress, list.FromAddress)
	refusal := accounts.RefusalOf
	if from == "" {
		from, refusal = s.senderOf(a.ID), accounts.MissingDomain
	}
	if from != "" {
		why, err = refusal(a, tx, from)
	}
	if why == "" && err == nil {
		why, err = accounts.NameRefusal(a, tx, cmp.Or(m.FromName, list.FromName, list.Name))
	}
	return from, why, err
}
