package main

import (
	"context"
	"net/url"

	"enlist/internal/admin/home"
	pages "enlist/internal/admin/sending"
	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/enlist"
	"enlist/internal/jobs"
	"enlist/internal/pace"
)

// This file builds what the mails of Batches need from the flags of serve. Their rates and hours are settings.

// sendingOf returns the name of the mail server, and the sender of mails that are only written into a folder.
func sendingOf(c config.Serve) pace.Settings {
	s := pace.Settings{Relay: c.MailDir(), From: defaultSender(c)}
	if server, err := url.Parse(c.SMTP); err == nil && c.SMTP != "" {
		s.Relay = server.Host // package mail refuses another URL
	}
	return s
}

// defaultSender returns the sender of mails without another sender if the setting mail-from has no value. With a mail
// server there is none.
func defaultSender(c config.Serve) string {
	if c.SMTP != "" {
		return ""
	}
	return placeholderSender
}

// mailsLeave returns a function that says whether mails of a List leave this server now: it has a mail server, the List
// has a sender, and mails are not held.
func mailsLeave(c config.Serve, s *app.App) func(context.Context, *enlist.List) bool {
	return func(ctx context.Context, l *enlist.List) bool {
		if c.SMTP == "" || l.FromAddress == "" && s.Accounts.Settings().Of(l.AccountID).From == "" {
			return false
		}
		held, err := s.Sending.Held(ctx)
		return err == nil && held == nil
	}
}

// homeOf returns what the page Home needs to know of this process.
func homeOf(c config.Serve, e *listeners) home.Server {
	return home.Server{SendsMail: c.SMTP != "", ReadsEvents: c.SMTPProvider != "", LinksToItself: c.LinksToItself(),
		OtherBackups: c.OtherBackups(),
		Certificate:  func() string { return certificateTrouble(e.validity()) }}
}

// mailServerOf returns what the pages need to know of how this process sends mails.
func mailServerOf(c config.Serve, r components, queue jobs.Queue) pages.Server {
	s := pages.Server{MailDir: c.MailDir(), Provider: c.SMTPProvider, Queue: queue}
	if c.SMTP == "" {
		return s
	}
	s.MailDir = ""
	s.SendTest = func(ctx context.Context, to string) (string, error) {
		trial, err := r.mailer.SendTrial(ctx, to)
		if err != nil {
			return "", err
		}
		return trial.Reply, nil
	}
	return s
}
