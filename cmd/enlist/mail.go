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

// newMailer makes what composes and sends mails: to the mail server, or while
// there is none into a folder.
func newMailer(ctx context.Context, c config.Serve, service *audience.Service, addr net.Addr, log *slog.Logger) (*mail.Mailer, audience.LinkKey, error) {
	key, err := service.LinkKey(ctx)
	if err != nil {
		return nil, key, fmt.Errorf("prepare the database: %w", err)
	}
	_, domain, _ := strings.Cut(c.MailFrom, "@")
	transport := mail.Transport{
		SMTP: c.SMTP, Connections: c.MailConnections, Rate: c.MailRate, BounceAddress: c.BounceAddress,
		DKIMKey: c.DKIMKey, DKIMDomain: cmp.Or(c.DKIMDomain, domain), DKIMSelector: c.DKIMSelector, Key: key, Log: log,
	}
	if c.SMTP == "" {
		transport.Dir = c.MailDir()
	}
	mailer, err := mail.New(mail.Options{
		From: cmp.Or(c.MailFrom, "enlist@localhost"), PublicURL: publicURL(c, addr), Key: key, Links: service, Transport: transport,
	})
	return mailer, key, err
}

// publicURL is where links in mails lead.
func publicURL(c config.Serve, addr net.Addr) string {
	return strings.TrimSuffix(cmp.Or(c.PublicURL, base(addr)), "/")
}
