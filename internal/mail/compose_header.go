package mail

import (
	"encoding/base64"
	"errors"
	"net/mail"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"enlist/internal/address"
	"enlist/internal/audience"

	gomail "github.com/wneessen/go-mail"
)

// This file writes the headers of a message. It also removes characters that a header must
// not contain, such as control characters, from addresses, subjects and names.

// header has the values of a message's header fields.
type header struct {
	fromName, from string
	replyTo        string // "" if there is no Reply-To
	to             string
	subject        string
	key            string // the Message-ID is derived from this key
	list           audience.ListID
	unsubscribe    string // URL to unsubscribe, "" in notifications and requests to confirm
}

// message returns a message with a header and without a body.
func (c *composer) message(h header) (*gomail.Msg, error) {
	from, domain, ok := parseAddress(h.from)
	if !ok {
		return nil, &audience.Undelivered{
			Err: errors.New("no sender address: set one with --mail-from, or in the List")}
	}
	to, _, ok := parseAddress(h.to)
	if !ok {
		return nil, &audience.Undelivered{Permanent: true, Recipient: true,
			Detail: "this is not an address that mail can be sent to"}
	}
	from.Name = oneLine(h.fromName)
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(from)
	m.ToMailAddress(to)
	if replyTo, _, ok := parseAddress(h.replyTo); ok {
		m.ReplyToMailAddress(replyTo)
	}
	m.SetGenHeader(gomail.HeaderSubject, headerText(h.subject))
	m.SetDateWithValue(c.now())
	m.SetMessageIDWithValue(c.key.MessageID(h.key) + "@" + domain)
	m.SetGenHeader("List-Id", "<"+strconv.FormatInt(int64(h.list), 10)+".list."+domain+">")
	// The next two fields tell mail programs not to send automatic replies, such as
	// holiday notes. RFC 3834
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader(gomail.HeaderXAutoResponseSuppress, "All")
	if h.unsubscribe != "" {
		m.SetGenHeader(gomail.HeaderPrecedence, "bulk")
		m.SetListUnsubscribe(h.unsubscribe)
		if strings.HasPrefix(h.unsubscribe, "https://") { // RFC 8058, 3.1 allows one-click only with https
			m.SetListUnsubscribePost()
		}
	}
	return m, nil
}

// parseAddress reads an address. It returns the domain in ASCII, so that the mail server
// needs SMTPUTF8 only if the local part is not ASCII. ok is false if the text is not an
// address to which mail can be sent.
func parseAddress(text string) (parsed *mail.Address, domain string, ok bool) {
	spelling, key, ok := address.ParseEmail(text)
	if !ok {
		return nil, "", false
	}
	local := address.Unquote(spelling[:strings.LastIndexByte(spelling, '@')]) // mail.Address adds quotes again
	if local == "" {
		return nil, "", false // a local part of two quotes is valid, but net/mail cannot write it
	}
	domain = key[strings.LastIndexByte(key, '@')+1:]
	return &mail.Address{Address: local + "@" + domain}, domain, true
}

// maxSubject limits a subject, in characters. A line of a mail must have at most 998
// bytes (RFC 5322, 2.1.1), and a subject without a space cannot be split into lines.
const maxSubject = 250

// headerText encodes a text that looks like an encoded word (RFC 2047). Without this
// encoding, mail programs would decode the text. go-mail encodes other texts if necessary.
func headerText(text string) string {
	if !strings.Contains(text, "=?") {
		return text
	}
	const most = 45 // number of bytes that fit into an encoded word of 75 characters
	var words []string
	for len(text) > 0 {
		n := min(most, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		words = append(words, "=?UTF-8?B?"+base64.StdEncoding.EncodeToString([]byte(text[:n]))+"?=")
		text = text[n:]
	}
	return strings.Join(words, " ")
}

// oneLine returns a text as one line for a header: without control characters, and with at
// most maxSubject characters.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(plain(text)), " ")
	if utf8.RuneCountInString(text) <= maxSubject {
		return text
	}
	return string([]rune(text)[:maxSubject-1]) + "…"
}

// plain removes control characters, except line breaks and tabs, and characters
// that change the direction of the following text.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069':
			return -1
		}
		return r
	}, lineEnds.Replace(strings.ToValidUTF8(text, "\uFFFD")))
}

// lineEnds replaces every kind of line end by \n.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
