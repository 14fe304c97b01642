package mail

import (
	"context"
	"crypto/rand"
	"errors"
)

// This file sends links with which people sign in to the pages of the administration.

// SignInLink is the content of such a mail.
type SignInLink struct {
	To, Name    string // of the person
	By, Account string // who invites, and to what
	URL         string
}

// SendSignInLink sends the mail now, and returns an error if the mail server does not take it.
func (m *Mailer) SendSignInLink(ctx context.Context, l *SignInLink) error {
	from := m.composer.defaultSender()
	if from == "" {
		return errors.New("this server has no sender: set one with enlist settings set mail-from=news@example.com")
	}
	h := header{from: from, fromName: m.composer.settings().FromName, to: l.To, key: "s/" + rand.Text(),
		isDefault: true}
	mail, err := m.composer.builtIn(h, &builtIn{Language: "en", Title: "Sign in to " + l.Account,
		Heading: "Hello " + oneLine(l.Name),
		Before:  oneLine(l.By) + " invites you to the newsletters of " + oneLine(l.Account) + ".",
		Button:  "Sign in", Link: l.URL,
		After: "The link works once, and for an hour. If you do not know " + oneLine(l.By) + ", ignore this mail."})
	if err != nil {
		return err
	}
	return m.handOver(ctx, mail, nil)
}
