package batches

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the option variants: a part of the recipients, the test, gets one of up to four variants of the
// Message. The others wait for the winner, in slices that are not free before. sending/winner.go chooses the winner.
// reference.md: batch.variants; decisions.md: 77

// Variants are the variants of a Batch.
type Variants struct {
	All     []Variant `json:"all"`
	Share   int64     `json:"share"`  // percent of the recipients that are in the test
	By      WinnerBy  `json:"winner"` // how the winner is chosen
	Hours   int64     `json:"hours"`  // after the first mail, when the winner is chosen
	Chosen  int64     `json:"chosen"` // number of the winner, from 1; 0: not chosen yet
	Time    int64     `json:"time"`   // when it was chosen
	Verdict string    `json:"verdict"`
}

// Variant is another Message, or another subject of the Batch's Message. If both are zero, it is this Message.
type Variant struct {
	Message enlist.MessageID `json:"message_id"`
	Subject string           `json:"subject"`
}

// WinnerBy says how the winner is chosen.
type WinnerBy string

// The ways to choose the winner.
const (
	WinnerByClicks WinnerBy = "clicks" // of persons
	WinnerByOpens  WinnerBy = "opens"  // of persons
	WinnerByHand   WinnerBy = "hand"
)

const (
	maxVariants        = 4
	defaultTestShare   = 20
	defaultWinnerHours = 4
	maxWinnerHours     = 48
)

// VariantOptions are the options about variants, as the caller sent them.
type VariantOptions struct {
	Variants []Variant
	Share    int64  // percent; 0: defaultTestShare
	Winner   string // a WinnerBy; "" means clicks
	Hours    int64  // 0: defaultWinnerHours
}

// check returns the Variants that the options describe, or nil. base is the Message of the Batch.
func (o *VariantOptions) check(tx *db.Tx, c *enlist.Caller, base *messages.Message) (*Variants, error) {
	if len(o.Variants) == 0 {
		if o.Share != 0 || o.Winner != "" || o.Hours != 0 {
			return nil, enlist.Invalid("options", "test_share, winner and winner_hours need variants")
		}
		return nil, nil
	}
	v := &Variants{Share: o.Share, By: WinnerBy(strings.ToLower(o.Winner)), Hours: o.Hours}
	if v.Share == 0 {
		v.Share = defaultTestShare
	}
	if v.By == "" {
		v.By = WinnerByClicks
	}
	if v.Hours == 0 {
		v.Hours = defaultWinnerHours
	}
	switch {
	case len(o.Variants) < 2 || len(o.Variants) > maxVariants:
		return nil, enlist.Invalid("options", "variants: expected 2 to 4 variants")
	case v.Share < 1 || v.Share > 100:
		return nil, enlist.Invalid("options", "test_share: expected 1 to 100 percent")
	case v.By != WinnerByClicks && v.By != WinnerByOpens && v.By != WinnerByHand:
		return nil, enlist.Invalid("options", "winner: expected one of clicks, opens, hand, not "+
			enlist.Quoted(o.Winner))
	case v.Hours < 1 || v.Hours > maxWinnerHours:
		return nil, enlist.Invalid("options", "winner_hours: expected 1 to 48 hours")
	}
	for _, variant := range o.Variants {
		checked, err := variant.check(tx, c, base)
		if err != nil {
			return nil, err
		}
		v.All = append(v.All, checked)
	}
	return v, nil
}

// check checks a variant that the caller sent, and sets the Message that it sends.
func (v Variant) check(tx *db.Tx, c *enlist.Caller, base *messages.Message) (Variant, error) {
	if v.Message == 0 {
		v.Message = base.ID
	}
	m, err := messages.LoadSeen(tx, c, v.Message, SentTo)
	if err != nil {
		return v, err
	}
	if m.Type != messages.MessageEmail {
		return v, enlist.Invalid("options", "variants: expected Messages of type email")
	}
	v.Subject, err = enlist.ReadLine(v.Subject)
	if err != nil {
		return v, enlist.Invalid("options", "variants: subject: "+err.Error())
	}
	return v, nil
}

// apply returns the Message as a variant of the Batch's Message: with its own subject and content, and the sender of
// the Batch's Message, so that all variants have one sender and one domain.
func (v *Variant) apply(m, base *messages.Message) *messages.Message {
	variant := *m
	variant.FromName, variant.FromAddress, variant.ReplyTo = base.FromName, base.FromAddress, base.ReplyTo
	if v.Subject != "" {
		variant.Subject = v.Subject
	}
	return &variant
}

// draw returns two numbers that depend on the Batch and the Contact only, so that every process and each attempt to
// send a mail comes to the same variant.
func (b *Batch) draw(contact enlist.ContactID) (first, second uint64) {
	var key [16]byte
	binary.BigEndian.PutUint64(key[:8], uint64(b.ID))
	binary.BigEndian.PutUint64(key[8:], uint64(contact))
	sum := sha256.Sum256(key[:])
	return binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])
}

// InTest reports whether a Contact gets its mail in the test.
func (b *Batch) InTest(contact enlist.ContactID) bool {
	share, _ := b.draw(contact)
	return b.Variants == nil || share%100 < uint64(b.Variants.Share)
}

// VariantOf returns the number of the variant that a Contact gets. It returns 0 if the Batch has no variants, and if
// the Contact gets the winner, which is not chosen yet.
func (b *Batch) VariantOf(contact enlist.ContactID) int64 {
	if b.Variants == nil {
		return 0
	}
	if !b.InTest(contact) {
		return b.Variants.Chosen
	}
	_, number := b.draw(contact)
	return int64(number%uint64(len(b.Variants.All))) + 1
}

// Messages returns the Messages that the Batch sends, and its own first.
func (b *Batch) Messages() []enlist.MessageID {
	ids := []enlist.MessageID{b.MessageID}
	if b.Variants != nil {
		for _, v := range b.Variants.All {
			if !slices.Contains(ids, v.Message) {
				ids = append(ids, v.Message)
			}
		}
	}
	return ids
}

// sends reports whether the Batch sends a Message.
func (b *Batch) sends(id enlist.MessageID) bool { return slices.Contains(b.Messages(), id) }

// MailContent is what a mail contains: a Message with its files.
type MailContent struct {
	Message *messages.Message
	Files   []messages.MessageFile
}

// Contents returns the content of each variant, or of the Message if the Batch has no variants. The error is of kind
// NoMessage if a Message is gone or is no email any more.
func (b *Batch) Contents(tx *db.Tx) (contents []MailContent, err error) {
	base, err := b.email(tx, b.MessageID)
	if err != nil {
		return nil, err
	}
	loaded := []*messages.Message{base}
	if b.Variants != nil {
		loaded = nil
		for i := range b.Variants.All {
			v := &b.Variants.All[i]
			m, err := b.email(tx, v.Message)
			if err != nil {
				return nil, err
			}
			loaded = append(loaded, v.apply(m, base))
		}
	}
	for _, m := range loaded {
		files, err := m.LoadFiles(tx)
		if err != nil {
			return nil, err
		}
		contents = append(contents, MailContent{Message: b.edition(m), Files: files})
	}
	return contents, nil
}

// Heads returns what Contents returns, without the contents of the Messages and without files. Anyone can ask for an
// archive, and a hundred contents need up to 600 MB.
func (b *Batch) Heads(tx *db.Tx) (heads []*messages.Message, err error) {
	variants := []Variant{{}}
	if b.Variants != nil {
		variants = b.Variants.All
	}
	for i := range variants {
		m, err := messages.LoadHead(tx, b.AccountID, cmp.Or(variants[i].Message, b.MessageID))
		if err == nil && m.Type != messages.MessageEmail {
			err = enlist.ErrNoMessage
		}
		if err != nil {
			return nil, err
		}
		heads = append(heads, variants[i].apply(m, m))
	}
	return heads, nil
}

// Winner returns the index of the content that all Contacts get once the winner is chosen. It is 0 before, and without
// variants.
func (b *Batch) Winner() int {
	if b.Variants == nil {
		return 0
	}
	return int(max(0, b.Variants.Chosen-1))
}

// email returns a Message that is an email.
func (b *Batch) email(tx *db.Tx, id enlist.MessageID) (*messages.Message, error) {
	m, err := messages.LoadMessage(tx, b.AccountID, id)
	if err == nil && m.Type != messages.MessageEmail {
		return nil, enlist.ErrNoMessage
	}
	return m, err
}

// edition returns the Message as this Batch sends it.
func (b *Batch) edition(m *messages.Message) *messages.Message {
	if !b.IsTest {
		return m
	}
	return messages.TestEdition(m)
}
