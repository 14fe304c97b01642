package mail

import (
	"context"
	"crypto/rand"
	"errors"

	"enlist/internal/language"
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
	in := m.composer.texts.For(language.English, "")
	args := []any{"name", oneLine(l.Name), "user", oneLine(l.By), "account", oneLine(l.Account)}
	mail, err := m.composer.builtIn(h, &builtIn{Language: in.Code, Title: in.Text("signin.mail.title", args...),
		Heading: in.Text("signin.mail.heading", args...), Before: in.Text("signin.mail.before", args...),
		Button: in.Text("signin.mail.button"), Link: l.URL, After: in.Text("signin.mail.after", args...)})
	if err != nil {
		return err
	}
	return m.handOver(ctx, mail, nil)
}
