package mail

import (
	"context"
	"errors"
	"log/slog"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
)

// This file chooses where messages are sent: to a mail server (smtp.go) or into a folder
// (transport_dir.go). For both, transport_encode.go writes the envelope.

// sender sends a composed message. about is the key of the message's delivery, or nil for
// a notification. The address for bounces contains the tag of this delivery.
type sender interface {
	send(ctx context.Context, m *composed, about *enlist.DeliveryKey) error
	close() error
}

// Domains has the keys of the sending domains of Accounts, and the domains from which each Account may send.
type Domains interface {
	// SigningKey returns the key that signs the mails of an Account from a domain, or nil if the Account has no such
	// sending domain. The error is accounts.ErrForeignDomain if another Account has the domain.
	SigningKey(ctx context.Context, account enlist.AccountID, domain string) (*enlist.SigningKey, error)
	// RefusedDomain returns why an Account may not send from a domain, or "" if it may.
	RefusedDomain(ctx context.Context, account enlist.AccountID, domain string) (why string, err error)
}

// Transport has the settings for sending composed messages.
type Transport struct {
	SMTP        string                  // smtp[s]://user:password@host:port; "" if messages are written into Dir
	Dir         string                  // folder for .eml files
	Connections int                     // largest number of connections to the mail server; the default is 8
	Fields      func(tag string) string // header fields with a delivery's tag, which the email provider repeats; nil if there are none
	Domains     Domains                 // keys of the sending domains of Accounts; nil if there are none
	Key         enlist.LinkKey          // signs the tags of deliveries
	Log         *slog.Logger            // nil if nothing is logged

	settings func() *accounts.Settings // of this moment: the rate, the bounce address, the key that signs
}

// newSender returns the sender for the settings, and its metrics. If SMTP is set, Dir is ignored.
func newSender(t Transport) (sender, *meter, error) {
	if t.Log == nil {
		t.Log = slog.New(slog.DiscardHandler)
	}
	if t.settings == nil {
		t.settings = noSettings
	}
	encoder := newEncoder(t)
	switch {
	case t.SMTP != "":
		server, err := parseServer(t.SMTP)
		if err != nil {
			return nil, nil, err
		}
		meter := newMeter(server.relay())
		return newSMTPSender(server, t, encoder, meter), meter, nil
	case t.Dir != "":
		meter := newMeter("folder")
		sender, err := newDirSender(t.Dir, encoder, meter)
		return sender, meter, err
	}
	return nil, nil, errors.New("mail cannot be sent: set a mail server with --smtp or a folder with --mail")
}
