package mail

import (
	"context"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the Mailer, which other packages use. The Mailer composes a message
// (compose.go) and passes it to a sender (transport.go).

// Mailer composes and sends mails. It is safe for concurrent use.
type Mailer struct {
	*composer
	sender sender
	meter  *meter
}

// Linker stores the targets of links in Messages.
type Linker interface {
	// LinkTargets stores the URLs of a Message that are not stored yet, and that it has them at the time edited. It
	// returns the IDs of all URLs, in the order of urls.
	LinkTargets(ctx context.Context, message enlist.MessageID, edited int64, urls []string) ([]enlist.LinkID, error)
}

// Options are the settings of a Mailer.
type Options struct {
	From      string                    // sender of a mail if neither its Message, its List nor the setting mail-from has one; "": none
	Settings  func() *accounts.Settings // of this moment; nil: the zero Settings
	PublicURL string                    // URL of this service's pages, without a slash at the end
	Key       enlist.LinkKey
	Links     Linker
	Files     Files
	Transport Transport
}

// New returns a Mailer. The Mailer connects to the mail server when it sends the first mail.
func New(o Options) (*Mailer, error) {
	composer, err := newComposer(o)
	if err != nil {
		return nil, err
	}
	o.Transport.settings = composer.settings
	sender, meter, err := newSender(o.Transport)
	if err != nil {
		return nil, err
	}
	return &Mailer{composer: composer, sender: sender, meter: meter}, nil
}

// NewComposer returns a Composer for a program that sends no mails. It needs no Transport.
func NewComposer(o Options) (messages.Composer, error) { return newComposer(o) }

// Notify sends a notification. The Message-ID is derived from id. If a caller sends the same
// notification again, with the same id, the second mail has the same Message-ID.
func (m *Mailer) Notify(ctx context.Context, id string, n *messages.Notification) error {
	msg, err := m.composer.notification(id, n)
	if err != nil {
		return err
	}
	return m.handOver(ctx, msg, nil)
}

// Send sends a mail to a Contact and returns the subject with its merge fields filled.
func (m *Mailer) Send(ctx context.Context, l *messages.OutgoingMail) (subject string, err error) {
	msg, subject, err := m.composer.outgoing(ctx, l)
	if err != nil {
		return "", err
	}
	return subject, m.handOver(ctx, msg, &l.Delivery)
}

// handOver sends a message and counts it.
func (m *Mailer) handOver(ctx context.Context, msg *composed, about *enlist.DeliveryKey) error {
	err := m.sender.send(ctx, msg, about)
	m.meter.count(err)
	return err
}

// Close closes the connections to the mail server. The caller must first wait until all
// calls of Notify and Send have returned.
func (m *Mailer) Close() error { return m.sender.close() }
