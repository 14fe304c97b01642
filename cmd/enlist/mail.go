package main

import (
	"context"
	"errors"
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

// This file builds the Mailer from the flags of serve. enlist mail tries the mail server with a mail; enlist doctor and
// enlist serve try it without one.

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

type mailCommand struct {
	Test mailTest `cmd:"" help:"Send one mail to an address, and print what the mail server answered."`
}

type mailTest struct {
	config.Database
	SMTP      string `placeholder:"URL" help:"Mail server, as --smtp of enlist serve."`
	PublicURL string `placeholder:"URL" help:"URL of the service, as in enlist serve."`
	Address   string `arg:"" help:"Address to send the mail to."`
}

// Run sends the mail.
func (c *mailTest) Run(ctx context.Context, out *console) error {
	if c.SMTP == "" {
		return usage("give the mail server with --smtp or ENLIST_SMTP")
	}
	flags := config.Serve{Database: c.Database, SMTP: c.SMTP, PublicURL: c.PublicURL}
	return withMailer(ctx, flags, func(m mailTrier) error {
		trial, err := m.SendTrial(ctx, c.Address)
		if err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "%s\nit answered to the mail: %s\n", trial, trial.Reply)
		return nil
	})
}

// mailTrier has the methods of mail.Mailer that try the mail server.
type mailTrier interface {
	TryServer(ctx context.Context) (*mail.Trial, error)
	SendTrial(ctx context.Context, to string) (*mail.Trial, error)
}

// withMailer runs do with the mailer that the flags and the settings in the database describe.
func withMailer(ctx context.Context, flags config.Serve, do func(mailTrier) error) error {
	return withService(ctx, flags.Database, func(s *app.App) error {
		m, _, err := newMailer(ctx, flags, s, noAddr, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		return errors.Join(do(m), m.Close())
	})
}

// tryMailServer logs a warning if the mail server does not accept the mails of this server.
func tryMailServer(ctx context.Context, m mailTrier, log *slog.Logger) {
	if _, err := m.TryServer(ctx); err != nil && ctx.Err() == nil {
		log.Warn("the mail server does not accept mails; enlist doctor --smtp tries it again", "error", err)
	}
}
