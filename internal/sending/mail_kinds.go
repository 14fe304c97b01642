package sending

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/events"
	"enlist/internal/messages"
)

// This file has the kinds of mail that are jobs.

// Notify sends a notification about a Contact to one of the List's addresses. It does
// not store the result, because a notification is not a mail to a Contact.
func (m *MailSender) Notify(ctx context.Context, j db.Job, e events.Notify) error {
	return m.inSlot(ctx, j, func(func()) error {
		n, err := m.notifications.do(ctx, e)
		if err != nil || n == nil {
			return err
		}
		// The Message-ID is derived from id. The ID of the job is not enough, because SQLite can use
		// the same ID again for another job.
		id := strconv.FormatInt(j.ID, 10) + " " + j.Created.UTC().Format(time.RFC3339Nano)
		return m.mailer.Notify(ctx, id, n)
	})
}

// Confirm sends a Contact the mail that asks the Contact to confirm the subscription.
func (m *MailSender) Confirm(ctx context.Context, j db.Job, e contacts.RequestConfirmation) error {
	return m.inSlot(ctx, j, func(release func()) error {
		mail, err := m.service.messages.ConfirmationMail(ctx, e)
		if err != nil || mail == nil {
			return err
		}
		return m.sendToContact(ctx, j, mail, release)
	})
}

// SendLink sends a Contact the link to the page with its settings.
func (m *MailSender) SendLink(ctx context.Context, j db.Job, e contacts.SendLink) error {
	return m.inSlot(ctx, j, func(release func()) error {
		mail, err := m.service.messages.LinkMail(ctx, e)
		if err != nil || mail == nil {
			return err
		}
		return m.sendToContact(ctx, j, mail, release)
	})
}

// Autorespond sends an autoresponder's Message to one Contact.
func (m *MailSender) Autorespond(ctx context.Context, j db.Job, e events.Autorespond) error {
	return m.inSlot(ctx, j, func(release func()) error {
		// The queue started the job when it was due, but the clock may have been set back after that.
		if early := m.service.messages.Until(e.Due); early > 0 {
			return db.Later(early)
		}
		mail, err := m.autoresponders.do(ctx, e)
		if err != nil || mail == nil {
			return err
		}
		if mail.Problem != "" {
			why := &messages.Undelivered{Permanent: true, Detail: mail.Problem}
			return cmp.Or(m.service.RecordNotSent(ctx, mail, why), error(why))
		}
		return m.sendToContact(ctx, j, mail, release)
	})
}

// Test sends a Message to an address of the caller. It does not store the result, because this is not
// a mail to a Contact.
func (m *MailSender) Test(ctx context.Context, j db.Job, e messages.SendTest) error {
	return m.inSlot(ctx, j, func(func()) error {
		mail, err := m.service.messages.TestMail(ctx, e)
		if err != nil || mail == nil {
			return err
		}
		_, err = m.mailer.Send(ctx, mail)
		return err
	})
}
