package batches

import (
	"fmt"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file warns of a Batch that asks people for the consent to being recorded whom an earlier Batch has asked not long
// before, or who have answered. decisions.md: 162

// askAgain is the time in seconds after which a person who has not answered may be asked again: six months.
const askAgain = 183 * enlist.Day

// The codes of the warnings.
const (
	FindingAskedRecently messages.FindingCode = "asked_recently"
	FindingAnswered      messages.FindingCode = "answered"
)

// readAsking finds the Batches of the last six months that have asked, if this one does.
func (k *batchCheck) readAsking(tx *db.Tx) error {
	for i := range k.contents {
		k.asks = k.asks || k.contents[i].Message.Asks
	}
	if !k.asks {
		return nil
	}
	sent, err := Batches(tx, k.AccountID, BatchFilter{Since: k.CreationTime - askAgain})
	asks := make(map[enlist.MessageID]bool)
	for i := range sent {
		b := &sent[i]
		if b.IsTest || b.Sent == 0 {
			continue
		}
		for _, id := range b.Messages() {
			if _, known := asks[id]; !known {
				m, err := messages.LoadMessage(tx, k.AccountID, id)
				if enlist.IgnoreKind(enlist.NoMessage, err) != nil {
					return err
				}
				asks[id] = err == nil && m.Asks
			}
			if asks[id] {
				k.result.Asking = append(k.result.Asking, b.ID)
				break
			}
		}
	}
	return err
}

// countAsked counts the recipients of a step who were asked not long before and have not answered, and the recipients
// who have answered.
func (k *batchCheck) countAsked(tx *db.Tx, st *checkStep, ids []enlist.ContactID) error {
	if !k.asks {
		return nil
	}
	list := st.schema.List.ID
	counts, err := contacts.CountTracking(tx, list, ids)
	if err != nil {
		return err
	}
	st.answered = counts[enlist.TrackingGranted] + counts[enlist.TrackingDenied]
	asked, err := recipients.SentBy(tx, list, k.result.Asking, ids)
	if err != nil {
		return err
	}
	counts, err = contacts.CountTracking(tx, list, asked)
	st.asked = counts[enlist.TrackingUnknown]
	return err
}

// concludeAsked adds the warnings.
func (k *batchCheck) concludeAsked() {
	for _, f := range []struct {
		n    int64
		code messages.FindingCode
		text string
	}{{k.asked, FindingAskedRecently, "were asked in the last six months and have not answered"},
		{k.answered, FindingAnswered, "have already answered"}} {
		if f.n > 0 {
			k.add(messages.Finding{Level: messages.FindingWarning, Code: f.code, Contacts: f.n,
				Text: fmt.Sprintf("%d of %d recipients %s", f.n, k.result.Recipients, f.text)})
		}
	}
}
