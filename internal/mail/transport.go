package mail

import (
	"context"
	"errors"
	"log/slog"

	"enlist/internal/audience"

	gomail "github.com/wneessen/go-mail"
)

// This file chooses how messages leave: to a mail server (smtp.go) or into a
// folder (transport_dir.go). Both get their envelopes from transport_encode.go.

// sender delivers a finished message. about is the delivery that the message
// belongs to, nil for a notification: bounces come back with its name.
type sender interface {
	send(ctx context.Context, m *gomail.Msg, about *audience.DeliveryKey) error
	close() error
}

// Transport are the settings of how finished messages leave.
type Transport struct {
	SMTP          string  // smtp[s]://user:password@host:port; "": into Dir
	Dir           string  // folder for .eml files
	Connections   int     // to the mail server at once; 0: 8
	Rate          float64 // messages a second; 0: no limit
	BounceAddress string  // bounces to local@host come back to local+TAG@host; "": to the sender
	DKIMKey       string  // file with a private key in PEM; "": messages are not signed
	DKIMDomain    string
	DKIMSelector  string
	Key           audience.LinkKey // signs the TAG of the bounce address
	Log           *slog.Logger     // nil: nothing is logged
}

// newSender returns the sender for the settings. SMTP wins over Dir.
func newSender(t Transport) (sender, error) {
	if t.Log == nil {
		t.Log = slog.New(slog.DiscardHandler)
	}
	encoder, err := newEncoder(t)
	if err != nil {
		return nil, err
	}
	switch {
	case t.SMTP != "":
		server, err := parseServer(t.SMTP)
		if err != nil {
			return nil, err
		}
		return newSMTPSender(server, t, encoder), nil
	case t.Dir != "":
		return newDirSender(t.Dir, encoder)
	}
	return nil, errors.New("mail cannot be sent: set a mail server with --smtp or a folder with --mail")
}
