package messages

import (
	"cmp"
	"errors"
	"html/template"
	"net/url"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file shows the mail on the last page of a new send.

// Look is a mail as the first Contact of a List gets it.
type Look struct {
	Message                enlist.MessageID
	From, ReplyTo, Subject string
	Preheader              string       // what inboxes show after the subject
	Frame                  template.URL // of the mail
	Wrong                  string       // why there is no mail
	Drafts                 []ui.Action  // texts that are not in the Message
}

// LookAt returns the mail of a Message. subject replaces that of the Message, if it is not "".
func LookAt(r *ui.Request, message enlist.MessageID, list enlist.ListID, subject string) (look Look, err error) {
	one, err := contactOf(r, list, "")
	if err != nil {
		return look, err
	}
	drafts, _, err := savesOf(r, message)
	if err != nil {
		return look, err
	}
	mail, err := composed(r, message, list, one.id)
	if known, ok := errors.AsType[*enlist.Error](err); ok && known.Kind == enlist.InvalidParameters {
		return Look{Message: message, Drafts: drafts, Wrong: r.Said(known.Detail)}, nil
	}
	if err != nil {
		return look, err
	}
	query := url.Values{"list": {ui.Plain(int64(list))}, "contact": {ui.Plain(int64(one.id))}}
	look = Look{Message: message, From: mail.From, ReplyTo: mail.ReplyTo, Subject: mail.Subject,
		Preheader: preheader(mail), Drafts: drafts, Frame: template.URL(path(message) + "/mail?" + query.Encode())}
	if subject != "" {
		look.Subject = subject
	}
	return look, nil
}

// preheaderLength is about how many characters an inbox shows.
const preheaderLength = 100

// preheader returns the text that is for inboxes, or else the first words of the text.
func preheader(mail *messages.ComposedMail) string { return cmp.Or(mail.Preheader, firstWords(mail)) }

// firstWords returns the first words of the text.
func firstWords(mail *messages.ComposedMail) string {
	text, _, _ := strings.Cut(mail.Text, "\n-- \n") // the end of all mails follows
	words := []rune(strings.Join(strings.Fields(text[:min(len(text), 10*preheaderLength)]), " "))
	if len(words) <= preheaderLength {
		return string(words)
	}
	return string(words[:preheaderLength]) + "…"
}
