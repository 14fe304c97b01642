package sending

import (
	"context"
	"errors"
	"slices"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// This file shows mails as pages: one to people who have its link, and those of a public List to everyone.

// WebPage is a mail as a page. Its HTML is content of the Account.
type WebPage struct {
	Subject, HTML, Text string
}

// ViewMail returns the mail of a link without values of the Contact, because people pass the link on. It returns nil if
// the Message or the List is gone. decisions.md: 133
func (s *Service) ViewMail(ctx context.Context, d enlist.DeliveryKey) (*WebPage, error) {
	mail, err := db.OwnView(ctx, s.db, func(tx *db.Tx) (*messages.OutgoingMail, error) {
		schema, err := lists.Schema(tx, d.List)
		if err != nil {
			return nil, enlist.IgnoreKind(enlist.NoList, err)
		}
		content, err := contentOf(tx, &schema.List, d)
		if err != nil || content == nil {
			return nil, err
		}
		return archivedMail(schema, d, content), nil
	})
	return s.webPage(ctx, mail, err)
}

// archivedMail returns a mail to no Contact. Its links are made of d.
func archivedMail(schema *enlist.Schema, d enlist.DeliveryKey, content *batches.MailContent) *messages.OutgoingMail {
	return &messages.OutgoingMail{Archived: true, Schema: messages.Untracked(schema), Contact: new(enlist.ByID), Delivery: d,
		Address: "reader@example.invalid", Message: content.Message, Files: content.Files}
}

// PublicList returns a public List, or nil.
func (s *Service) PublicList(ctx context.Context, list enlist.ListID) (*enlist.Schema, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*enlist.Schema, error) {
		schema, err := lists.Schema(tx, list)
		if err != nil || !schema.List.Public {
			return nil, enlist.IgnoreKind(enlist.NoList, err)
		}
		return schema, nil
	})
}

// contentOf returns what a mail of a Batch or an autoresponder contains, or nil if it is gone.
func contentOf(tx *db.Tx, list *enlist.List, d enlist.DeliveryKey) (*batches.MailContent, error) {
	if id := d.Batch(); id != 0 {
		b, err := batches.ByID(tx, id)
		if err != nil {
			return nil, enlist.IgnoreKind(enlist.NoBatch, err)
		}
		all, err := b.Contents(tx)
		if err != nil {
			return nil, enlist.IgnoreKind(enlist.NoMessage, err)
		}
		return &all[max(0, b.VariantOf(d.Contact)-1)], nil
	}
	found, err := lists.Autoresponders(tx, "list_id = ?", int64(list.ID))
	i := slices.IndexFunc(found, func(a enlist.Autoresponder) bool { return a.ID == d.Autoresponder() })
	if err != nil || i < 0 {
		return nil, err
	}
	m, err := messages.LoadMessage(tx, list.AccountID, found[i].MessageID)
	if err != nil || m.Type != messages.MessageEmail {
		return nil, enlist.IgnoreKind(enlist.NoMessage, err)
	}
	files, err := messages.MessageFiles(tx, m)
	return &batches.MailContent{Message: m, Files: files}, err
}

// webPage composes a mail as a page.
func (s *Service) webPage(ctx context.Context, mail *messages.OutgoingMail, err error) (*WebPage, error) {
	if err != nil || mail == nil {
		return nil, err
	}
	m, err := s.messages.Compose(ctx, mail)
	if _, never := errors.AsType[*messages.Undelivered](err); never {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &WebPage{m.Subject, m.HTML, m.Text}, nil
}

// Archive is what a public List has sent to all its Contacts, newest first.
type Archive struct {
	Schema *enlist.Schema
	Mails  []ArchivedMail
}

// ArchivedMail is a Batch in an Archive.
type ArchivedMail struct {
	Batch   enlist.BatchID
	Subject string // for a Contact without values
	Time    int64
}

// maxArchive is the number of mails that an Archive has.
const maxArchive = 100

// Archive returns the Archive of a List, or nil if the List is not public. Each mail has its Message as it is now. A
// Batch for some Contacts only is not in it. decisions.md: 133
func (s *Service) Archive(ctx context.Context, list enlist.ListID) (*Archive, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*Archive, error) {
		a, _, err := s.archive(tx, list, 0)
		return a, err
	})
}

// ArchivedMail returns a mail of an Archive without values of a Contact, or nil if the Archive does not have it.
func (s *Service) ArchivedMail(ctx context.Context, list enlist.ListID, batch enlist.BatchID) (*WebPage, error) {
	mail, err := db.OwnView(ctx, s.db, func(tx *db.Tx) (*messages.OutgoingMail, error) {
		_, mail, err := s.archive(tx, list, batch)
		return mail, err
	})
	return s.webPage(ctx, mail, err)
}

// archive returns the Archive of a List, or one Batch of it with its mail if only is not 0. Anyone may ask for an
// Archive, so it holds the content of one mail at a time, and not of all.
func (s *Service) archive(tx *db.Tx, list enlist.ListID, only enlist.BatchID) (a *Archive, mail *messages.OutgoingMail,
	err error) {
	schema, err := lists.Schema(tx, list)
	if err != nil || !schema.List.Public {
		return nil, nil, enlist.IgnoreKind(enlist.NoList, err)
	}
	a = &Archive{Schema: schema}
	all, err := batches.SentToList(tx, list)
	if err != nil {
		return nil, nil, err
	}
	for i := range all {
		b := &all[i]
		if only != 0 && b.ID != only || len(a.Mails) == maxArchive {
			continue
		}
		content, err := b.Contents(tx)
		if enlist.KindOf(err) == enlist.NoMessage {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		first := content[0] // of variants, the winner
		if b.Variants != nil && b.Variants.Chosen > 0 {
			first = content[b.Variants.Chosen-1]
		}
		if only != 0 {
			mail = archivedMail(schema,
				enlist.DeliveryKey{List: list, Time: b.FirstSent, Cause: batches.CauseBatch(b.ID)}, &first)
		}
		a.Mails = append(a.Mails, ArchivedMail{b.ID, messages.MergeText(schema, new(enlist.ByID), first.Message.Subject),
			b.FirstSent})
	}
	return a, mail, nil
}
