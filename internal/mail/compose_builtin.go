package mail

import (
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"html/template"
	"strings"

	"enlist/internal/messages/merge"
)

// This file writes the mails whose text is part of this program: links with which users sign in, notifications
// (compose_notification.go) and requests to confirm (compose.go). Each mail has a text part and an HTML part with the same
// content.

//go:embed compose_builtin.html
var builtInFile embed.FS

var builtInHTML = template.Must(template.ParseFS(builtInFile, "compose_builtin.html"))

// builtIn is the content of a mail whose text is part of this program.
type builtIn struct {
	Language string // of the text
	List     string
	Title    string
	Heading  string
	Before   string // text above the rows, in paragraphs
	Rows     []row
	Consent  string // what the recipient agrees to by following the link
	Button   string // text of the link
	Link     string
	After    string
	Imprint  string
}

// row is a name with its value. A value can have several lines.
type row struct{ Name, Value string }

// builtIn returns a message with a header and the two parts. The title is the subject.
func (c *composer) builtIn(h header, b *builtIn) (*composed, error) {
	h.subject = oneLine(b.Title)
	m, err := c.message(h)
	if err != nil {
		return nil, err
	}
	m.text, m.html = b.text(), b.html()
	return m, nil
}

// sanitized returns a copy without control characters, because subscribers choose the values
// in the rows. It also cuts long values.
func (b *builtIn) sanitized() *builtIn {
	t := *b
	t.List, t.Title, t.Heading = oneLine(b.List), oneLine(b.Title), oneLine(b.Heading)
	t.Rows = make([]row, len(b.Rows))
	for i, r := range b.Rows {
		t.Rows[i] = row{oneLine(r.Name), strings.TrimSpace(merge.Plain(excerpt(r.Value)))}
	}
	return &t
}

// longestValue is the largest number of bytes of a value that a row shows. A value can be as
// long as the body of a request. The page behind the link shows the complete value.
const longestValue = 10_000

// excerpt cuts a value after longestValue bytes, but not inside a character.
func excerpt(value string) string {
	if len(value) <= longestValue {
		return value
	}
	return strings.ToValidUTF8(value[:longestValue], "") + "…"
}

func (b *builtIn) html() string {
	var s strings.Builder
	s.Grow(4096)
	// A write to a strings.Builder cannot fail, so an error means that the template is wrong.
	if err := builtInHTML.Execute(&s, b.sanitized()); err != nil {
		panic(err)
	}
	return s.String()
}

// text returns the text part. The second and further lines of a value are
// indented, so that a value cannot look like another row.
func (b *builtIn) text() string {
	t := b.sanitized()
	var s strings.Builder
	s.Grow(1024)
	s.WriteString(t.Heading + "\n" + t.List + "\n")
	if t.Before != "" {
		s.WriteString("\n" + t.Before + "\n")
	}
	if len(t.Rows) > 0 {
		s.WriteByte('\n')
	}
	for _, r := range t.Rows {
		s.WriteString(r.Name + ": " + strings.ReplaceAll(r.Value, "\n", "\n    ") + "\n")
	}
	if t.Consent != "" {
		s.WriteString("\n" + t.Consent + "\n")
	}
	if t.Link != "" {
		s.WriteString("\n" + t.Button + ": " + t.Link + "\n")
	}
	if t.After != "" {
		s.WriteString("\n" + t.After + "\n")
	}
	if t.Imprint != "" {
		s.WriteString("\n-- \n" + t.Imprint + "\n")
	}
	return s.String()
}

// UserMail is a kind of mails to users of the pages. Its texts are keys of the catalogue.
type UserMail struct{ Title, Heading, Before, Button, After string }

// The kinds.
var (
	MailLink = UserMail{"signin.mail.title", "signin.mail.heading", "signin.mail.before", "signin.mail.button",
		"signin.mail.after"}
	MailInvitation = UserMail{"signin.mail.title", "signin.mail.heading", "signin.mail.before", "signin.mail.button",
		"signin.mail.after_invited"}
	MailPassword = UserMail{"signin.mail.password_title", "signin.mail.heading", "signin.mail.password_before",
		"signin.mail.password_button", "signin.mail.password_after"}
	MailAddress = UserMail{"signin.mail.address_title", "signin.mail.heading", "signin.mail.address_before",
		"signin.mail.address_button", "signin.mail.address_after"}
	MailApproval = UserMail{"signin.mail.approval_title", "signin.mail.heading", "signin.mail.approval_before",
		"signin.mail.approval_button", "signin.mail.approval_after"}
	MailAsked = UserMail{"signin.mail.asked_title", "signin.mail.heading", "signin.mail.asked_before",
		"signin.mail.asked_button", "signin.mail.asked_after"}
	MailMoved = UserMail{"signin.mail.moved_title", "signin.mail.heading", "signin.mail.moved_before", "", "signin.mail.moved_after"}

	MailNewPassword = UserMail{"signin.mail.new_password_title", "signin.mail.heading", "signin.mail.new_password_before",
		"signin.mail.new_password_button", "signin.mail.new_password_after"}
	MailPasskey = UserMail{"signin.mail.passkey_title", "signin.mail.heading", "signin.mail.passkey_before",
		"signin.mail.passkey_button", "signin.mail.passkey_after"}

	MailAdded   = ofProgram("signin.mail.added_before")
	MailRights  = ofProgram("signin.mail.rights_before")
	MailRemoved = ofProgram("signin.mail.removed_before")
)

// ofProgram is a mail to an owner about what a program has done with a user.
func ofProgram(before string) UserMail {
	return UserMail{"signin.mail.users_title", "signin.mail.heading", before, "signin.mail.users_button", "signin.mail.users_after"}
}

// SignInLink is the content of a mail to a user.
type SignInLink struct {
	Kind        *UserMail // nil: MailLink
	To, Name    string    // of the person
	By, Account string    // who invites, and to what
	About       string    // the address of the person, or the name of the passkey or of the Batch
	URL         string    // "": no link
	Language    string    // of the mail; "": English
}

// SendSignInLink sends the mail now, and returns an error if the mail server does not take it.
func (m *Mailer) SendSignInLink(ctx context.Context, l *SignInLink) error {
	if m.composer.defaultSender() == "" {
		return errors.New("this server has no sender: set one with enlist settings set mail-from=news@example.com")
	}
	in := m.composer.texts.OfUsers().For(l.Language, "")
	kind := cmp.Or(l.Kind, &MailLink)
	args := []any{"name", oneLine(l.Name), "user", oneLine(l.By), "account", oneLine(l.Account), "address", oneLine(l.About), "campaign", oneLine(l.About),
		"passkey", oneLine(l.About)}
	b := &builtIn{Language: in.Code, Title: in.Text(kind.Title, args...), Heading: in.Text(kind.Heading, args...),
		Before: in.Text(kind.Before, args...), Link: l.URL, After: in.Text(kind.After, args...)}
	if l.URL != "" {
		b.Button = in.Text(kind.Button)
	}
	mail, err := m.composer.ofServer(l.To, b)
	if err != nil {
		return err
	}
	return m.handOver(ctx, mail, nil)
}

// defaultSender returns the sender of mails whose Message and List have none, or "".
func (c *composer) defaultSender() string { return cmp.Or(c.settings().From, c.from) }

// ofServer composes a mail from the sender of the server.
func (c *composer) ofServer(to string, b *builtIn) (*composed, error) {
	return c.builtIn(header{from: c.defaultSender(), fromName: c.settings().FromName, to: to, key: "s/" + rand.Text(),
		isDefault: true}, b)
}
