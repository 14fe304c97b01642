package mail

import (
	"context"

	"enlist/internal/audience"
)

// This file has the Mailer, which other packages use. It composes a message
// (compose.go) and passes it to a sender (transport.go).

// Mailer composes and sends. It is safe for concurrent use.
type Mailer struct {
	composer *composer
	sender   sender
}

// Linker stores the targets of links in Messages.
type Linker interface {
	// LinkTargets returns an ID for each URL of a Message, in their order.
	LinkTargets(ctx context.Context, message audience.MessageID, urls []string) ([]audience.LinkID, error)
}

// Options are the settings of a Mailer.
type Options struct {
	From      string // sender of mails for which neither Message nor List names one
	PublicURL string // URL of this service's pages, without a slash at its end
	Key       audience.LinkKey
	Links     Linker
	Transport Transport
}

// New makes a Mailer. It connects to the mail server when the first mail is sent.
func New(o Options) (*Mailer, error) {
	composer, err := newComposer(o)
	if err != nil {
		return nil, err
	}
	sender, err := newSender(o.Transport)
	if err != nil {
		return nil, err
	}
	return &Mailer{composer: composer, sender: sender}, nil
}

// Notify sends a notification. The Message-ID is derived from id, so that a
// notification that is sent twice can be recognised.
func (m *Mailer) Notify(ctx context.Context, id string, n *audience.Notification) error {
	msg, err := m.composer.notification(id, n)
	if err != nil {
		return err
	}
	return m.sender.send(ctx, msg, nil)
}

// Send sends a mail to a Contact and returns its subject as it was sent.
func (m *Mailer) Send(ctx context.Context, l *audience.OutgoingMail) (subject string, err error) {
	msg, subject, err := m.composer.outgoing(ctx, l)
	if err != nil {
		return "", err
	}
	return subject, m.sender.send(ctx, msg, &l.Delivery)
}

// Close closes the connections to the mail server. The caller has ended all
// calls of Notify and Send.
func (m *Mailer) Close() error { return m.sender.close() }
