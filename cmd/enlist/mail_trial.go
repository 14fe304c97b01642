package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/mail"
)

// enlist mail: tries the mail server. enlist doctor and enlist serve try it without a mail.

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
