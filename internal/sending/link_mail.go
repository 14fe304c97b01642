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

// This file shows mails as pages to people who have their links. archive.go shows those of a public List to everyone.

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
		if d.Contact != 0 {
			showing, err := messages.ShowTo(tx, schema, s.db.Now().Unix(), content.Message, []enlist.ContactID{d.Contact})
			if err != nil {
				return nil, err
			}
			content.Message = showing.For(d.Contact)
		}
		mail := archivedMail(schema, d, content)
		mail.Campaign, err = batches.NameOf(tx, d.Batch())
		return mail, err
	})
	return s.webPage(ctx, mail, err)
}

// archivedMail returns a mail to no Contact. Its links are made of d.
func archivedMail(schema *enlist.Schema, d enlist.DeliveryKey, content *batches.MailContent) *messages.OutgoingMail {
	return &messages.OutgoingMail{Archived: true, Schema: messages.Untracked(schema), Contact: new(enlist.Contact), Delivery: d,
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
		contents, err := b.Contents(tx)
		if err != nil {
			return nil, enlist.IgnoreKind(enlist.NoMessage, err)
		}
		return &contents[max(0, b.VariantOf(d.Contact)-1)], nil
	}
	autoresponders, err := lists.Autoresponders(tx, "list_id = ?", int64(list.ID))
	i := slices.IndexFunc(autoresponders, func(a enlist.Autoresponder) bool { return a.ID == d.Autoresponder() })
	if err != nil || i < 0 {
		return nil, err
	}
	m, err := messages.LoadMessage(tx, list.AccountID, autoresponders[i].MessageID)
	if err != nil || m.Type != messages.MessageEmail {
		return nil, enlist.IgnoreKind(enlist.NoMessage, err)
	}
	files, err := m.LoadFiles(tx)
	return &batches.MailContent{Message: m, Files: files}, err
}

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
