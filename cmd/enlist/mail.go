package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"enlist/internal/audience"
	"enlist/internal/config"
	"enlist/internal/mail"
)

// nobody sends what is only written into a folder: an address that cannot be.
const nobody = "enlist@mail.invalid"

// newMailer makes what composes and sends mails: to the mail server, or while
// there is none into a folder.
func newMailer(ctx context.Context, c config.Serve, service *audience.Service, addr net.Addr, log *slog.Logger) (*mail.Mailer, audience.LinkKey, error) {
	key, err := service.LinkKey(ctx)
	if err != nil {
		return nil, key, fmt.Errorf("prepare the database: %w", err)
	}
	transport := mail.Transport{SMTP: c.SMTP, Connections: c.MailConnections, Rate: c.MailRate, BounceAddress: c.BounceAddress, Key: key, Log: log}
	if c.DKIMKey != "" {
		_, domain, _ := strings.Cut(c.MailFrom, "@")
		transport.DKIMKey, transport.DKIMDomain, transport.DKIMSelector = c.DKIMKey, cmp.Or(c.DKIMDomain, domain), c.DKIMSelector
	}
	if c.SMTP == "" {
		transport.Dir = c.MailDir()
	}
	mailer, err := mail.New(mail.Options{
		From: cmp.Or(c.MailFrom, nobody), PublicURL: publicURL(c, addr), Key: key, Links: service, Transport: transport,
	})
	return mailer, key, err
}

// publicURL is where links in mails lead.
func publicURL(c config.Serve, addr net.Addr) string {
	if c.PublicURL == "" {
		return base(addr)
	}
	return strings.TrimSuffix(c.PublicURL, "/")
}
