package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/enlist"
	"enlist/internal/mail"
	"enlist/internal/mail/feedback"
)

// This file builds the Mailer from the flags of serve.

// placeholderSender is the sender of mails that are only written to a folder. RFC 2606 reserves its domain.
const placeholderSender = "enlist@mail.invalid"

// newMailer returns the Mailer, which composes mails and sends them to the mail server of --smtp. Without --smtp the
// Mailer writes mails to a folder. newMailer also returns the key that signs the links in mails.
func newMailer(ctx context.Context, c config.Serve, service *app.App, addr net.Addr,
	log *slog.Logger) (*mail.Mailer, enlist.LinkKey, error) {
	key, err := service.Messages.LinkKey(ctx)
	if err != nil {
		return nil, key, fmt.Errorf("prepare the database: %w", err)
	}
	transport := mail.Transport{SMTP: c.SMTP, Connections: c.MailConnections,
		Fields: feedback.HeaderFields(c.SMTPProvider), Key: key, Domains: service.Accounts, Log: log}
	if c.SMTP == "" {
		transport.Dir = c.MailDir()
	}
	mailer, err := mail.New(mail.Options{
		From: defaultSender(c), Settings: service.Accounts.Settings, PublicURL: publicURL(c, addr),
		Key: key, Links: service.Sending, Files: service.Files, Transport: transport,
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

// newFeedback returns the Handler of the events of --smtp-provider, or nil if there is none.
func newFeedback(c config.Serve, service *app.App, links enlist.LinkKey, log *slog.Logger) (*feedback.Handler, error) {
	if c.SMTPProvider == "" {
		return nil, nil
	}
	return feedback.New(feedback.Options{Provider: c.SMTPProvider, Secret: c.BounceSecret, Key: c.BounceKey,
		Links: links, Service: service.Sending, Log: log})
}

// checkFeedback returns an error if ENLIST_BOUNCE_KEY does not fit the provider.
func checkFeedback(c config.Serve) error {
	if c.SMTPProvider == "" {
		return nil
	}
	if err := feedback.CheckKey(c.SMTPProvider, c.BounceKey); err != nil {
		return fmt.Errorf("--smtp-provider %s: %w", c.SMTPProvider, err)
	}
	return nil
}
