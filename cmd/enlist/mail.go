package main

// This file builds the Mailer from the flags of serve.

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

// placeholderSender is the sender of mails that are only written to a folder. RFC 2606 reserves its domain.
const placeholderSender = "enlist@mail.invalid"

// newMailer returns the Mailer, which composes mails and sends them to the mail server of --smtp. Without --smtp the
// Mailer writes mails to a folder. newMailer also returns the key that signs the links in mails.
func newMailer(ctx context.Context, c config.Serve, service *audience.Service, addr net.Addr,
	log *slog.Logger) (*mail.Mailer, audience.LinkKey, error) {
	key, err := service.LinkKey(ctx)
	if err != nil {
		return nil, key, fmt.Errorf("prepare the database: %w", err)
	}
	name, from := c.Sender()
	transport := mail.Transport{SMTP: c.SMTP, Connections: c.MailConnections, Rate: c.MailRate,
		BounceAddress: c.BounceAddress, Key: key, Log: log}
	if c.DKIMKey != "" {
		_, domain, _ := strings.Cut(from, "@")
		transport.DKIMKey, transport.DKIMDomain, transport.DKIMSelector =
			c.DKIMKey, cmp.Or(c.DKIMDomain, domain), c.DKIMSelector
	}
	if c.SMTP == "" {
		transport.Dir = c.MailDir()
	}
	mailer, err := mail.New(mail.Options{
		From: cmp.Or(from, placeholderSender), FromName: name, PublicURL: publicURL(c, addr),
		Key: key, Links: service, Files: service, Transport: transport,
	})
	return mailer, key, err
}

// publicURL returns the URL that links in mails begin with, without a slash at its end.
func publicURL(c config.Serve, addr net.Addr) string {
	if c.PublicURL == "" {
		return base(c, addr)
	}
	return strings.TrimSuffix(c.PublicURL, "/")
}
