// Package mail composes messages and sends them: notifications to a List's
// addresses, Messages to Contacts and requests to confirm.
//
// What is said to whom, and whether it still may be, is decided in package
// audience; when, and how often, in package jobs. Here a message gets its form,
// merge fields their values, and a mail server or a folder the result. An error
// of sending is an *audience.Undelivered.
package mail

import (
	"context"

	"enlist/internal/audience"

	gomail "github.com/wneessen/go-mail"
)

// Mailer composes and sends. It is safe for concurrent use.
type Mailer struct {
	composer *composer
	sender   sender
}

// sender gives a finished message to a mail server, or keeps it in a folder.
// A message about a delivery has its bounces come back with the name of it.
type sender interface {
	send(ctx context.Context, m *gomail.Msg, about *audience.DeliveryKey) error
	close() error
}

// Linker keeps the targets of links in Messages.
type Linker interface {
	LinkTargets(ctx context.Context, message audience.MessageID, urls []string) ([]audience.LinkID, error)
}

// Options of a Mailer.
type Options struct {
	From      string // address of what has no sender of its own
	PublicURL string // where this service's pages are, without a slash at its end
	Key       audience.LinkKey
	Links     Linker
	Transport Transport
}

// New makes a Mailer. It connects to nothing yet.
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

// Notify sends a notification. The same id makes the same Message-ID, so that a
// message that is sent again can be recognised.
func (m *Mailer) Notify(ctx context.Context, id string, n *audience.Notification) error {
	msg, err := m.composer.notification(id, n)
	if err != nil {
		return err
	}
	return m.sender.send(ctx, msg, nil)
}

// Send sends a letter and returns its subject as it went out.
func (m *Mailer) Send(ctx context.Context, l *audience.OutgoingMail) (subject string, err error) {
	msg, subject, err := m.composer.letter(ctx, l)
	if err != nil {
		return "", err
	}
	return subject, m.sender.send(ctx, msg, &l.Delivery)
}

// Close ends the connections.
func (m *Mailer) Close() error { return m.sender.close() }
