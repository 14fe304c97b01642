package movein

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/webhooks"
)

// This file stores Messages, autoresponders and webhooks that move in from another service.

// storeMessage stores a Message with its contents. Its files must have moved before.
func (m *Mover) storeMessage(ctx context.Context, record Record) error {
	return m.step(ctx, func(w *writing) error {
		tx, c, r := w.tx, w.caller, w.reader("message", record)
		m := messages.Message{ID: enlist.MessageID(record.ID()), AccountID: c.Account.ID,
			CreatorKeyID: enlist.KeyID(r.int("creator_user_id")), CreatorName: r.line("creator_name"),
			CreationTime: r.int("creation_time"), LastModifiedTime: r.int("last_modified_time"),
			Type: messages.MessageEmail, EmailType: messages.EmailHTML,
			ShowUnsubscribeLink: true}
		if err := r.conditions(tx, c.Account.ID); err != nil {
			return err
		}
		setEach(r, &m, messages.WholeMessageAttributes, r.record)
		if m.Name == "" {
			m.Name = fmt.Sprintf("Message %d", m.ID)
		}
		if m.Type == messages.MessageEmail && m.Subject == "" {
			r.refuse("subject", "an email needs a subject: set one before you send the Message")
		}
		if err := r.wildcards(tx, c.Account.ID); err != nil {
			return err
		}
		if err := r.messageFiles(tx, &m); err != nil {
			return err
		}
		if err := messages.CheckMessageFolder(tx, c.Account.ID, m.FolderID); err != nil {
			if err := r.refuseError("folder_id", err); err != nil {
				return err
			}
			m.FolderID = 0
		}
		return m.Restore(tx)
	})
}

// messageFiles removes the inline images of a Message, or an attachment, if a rule refuses it. Blocks with a file that
// is refused stay.
func (r *reader) messageFiles(tx *db.Tx, m *messages.Message) error {
	if err := m.SetImages(tx); err != nil {
		if err := r.refuseError("blocks", err); err != nil {
			return err
		}
	}
	attachments := enlist.SplitTrimmed(m.Attachments)
	m.Attachments = ""
	if err := m.CheckFiles(tx); err != nil {
		if err := r.refuseError("inline_images", err); err != nil {
			return err
		}
		m.InlineImages = ""
	}
	for _, id := range attachments {
		before := m.Attachments
		m.Attachments = strings.TrimPrefix(before+","+id, ",")
		err := m.CheckFiles(tx)
		if err == nil {
			continue
		}
		m.Attachments = before
		if enlist.KindOf(err) == enlist.Internal {
			return err
		}
		r.refuseValue("attachments", enlist.TextInput(id), err.Error())
	}
	return nil
}

// storeAutoresponder stores an autoresponder. It is inactive, so that only one of the two services sends its mails,
// until the operator activates it. A repeated call does not change whether it is active here.
// decisions.md: 88
func (m *Mover) storeAutoresponder(ctx context.Context, record Record) error {
	return m.step(ctx, func(w *writing) error {
		tx, c, r := w.tx, w.caller, w.reader("autoresponder", record)
		a := enlist.Autoresponder{ID: enlist.AutoresponderID(record.ID()), AccountID: c.Account.ID,
			CreatorKeyID: enlist.KeyID(r.int("creator_user_id")), CreatorName: r.line("creator_name"),
			CreationTime: r.int("creation_time"), LastModifiedTime: r.int("last_modified_time"),
			CriteriaType: enlist.CriteriaImmediate}
		setEach(r, &a, batches.AutoresponderAttributes, record)
		if err := messages.CheckMessageFolder(tx, c.Account.ID, a.FolderID); err != nil {
			if err := r.refuseError("folder_id", err); err != nil {
				return err
			}
			a.FolderID = 0
		}
		all, err := batches.Autoresponders(tx, c.Account.ID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(o enlist.Autoresponder) bool { return o.ID == a.ID })
		a.IsActive = i >= 0 && all[i].IsActive
		if err := batches.SetAutoresponder(tx, c, &a, nil); err != nil {
			return r.refuseError("", err)
		}
		if err := batches.RestoreAutoresponder(tx, &a); err != nil {
			return err
		}
		if i < 0 {
			_, err := batches.AddAutoresponderBatch(tx, &a)
			return err
		}
		return batches.EditAutoresponderBatch(tx, &a)
	})
}

// storeWebhook stores a webhook under its ID, with the secret of the record, or with the stored one. A move causes no
// event, so nothing is posted before programs change Lists or Contacts here. moved is false if the webhook is left out.
func (m *Mover) storeWebhook(ctx context.Context, record Record) (moved bool, err error) {
	err = m.step(ctx, func(w *writing) (err error) {
		moved, err = w.reader("webhook", record).webhook(w.tx, w.caller)
		return err
	})
	return moved, err
}

func (r *reader) webhook(tx *db.Tx, c *enlist.Caller) (moved bool, err error) {
	w := enlist.Webhook{ID: enlist.WebhookID(r.record.ID()), AccountID: c.Account.ID,
		CreationTime: r.int("creation_time"), LastModifiedTime: r.int("last_modified_time")}
	setEach(r, &w, webhooks.WholeWebhookAttributes, r.record)
	old, err := webhooks.LoadWebhook(tx, c, w.ID)
	switch {
	case err == nil && w.Secret == "":
		w.Secret = old.Secret
	case err != nil && enlist.IgnoreKind(enlist.InvalidParameters, err) != nil:
		return false, err
	case w.Secret == "":
		r.refuse("secret", "the other service does not show it: getWebhookById of this service has a new one")
	}
	if err := webhooks.DefineWebhook(&w, tx, c, webhooks.NewWebhookSecret()); err != nil {
		return false, r.refuseError("", err)
	}
	return true, webhooks.Restore(tx, &w)
}
