package mail

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"enlist/internal/address"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/messages/merge"
)

// This file writes the headers of a message, and fills the sender and the address for replies with the values of its
// Contact. It also removes characters that a header must not contain, such as control characters, from addresses,
// subjects and names.

type header struct {
	fromName, from string
	replyTo        string // "" if there is no Reply-To
	to             string
	subject        string
	key            string // the Message-ID is derived from this key
	list           enlist.ListID
	account        enlist.AccountID
	isDefault      bool               // from is the sender of the server
	unsubscribe    string             // URL to unsubscribe, "" in notifications and requests to confirm
	about          enlist.DeliveryKey // of the mail, if it has such a URL
}

// composed is a composed mail. transport_mime.go encodes it.
type composed struct {
	id       string // Message-ID without the angle brackets
	from, to string // addresses in angle brackets; their domains are in ASCII
	account  enlist.AccountID
	domain   string   // of the sender, in ASCII and lower case
	shown    []string // addresses in the sender's name
	// isDefault means that neither the Message nor the List has a sender, so from is the sender of the server.
	isDefault bool

	header []byte // header fields, without those of MIME; each line ends with CR LF
	text   string
	html   string        // "" if there is no HTML part
	files  *encodedFiles // nil if there are none
}

// message returns a message with a header and without parts.
func (c *composer) message(h header) (*composed, error) {
	from, domain, ok := parseAddress(h.from)
	if !ok {
		return nil, &messages.Undelivered{
			Err: errors.New("no sender address: set one with enlist settings set mail-from=ADDRESS, or in the List")}
	}
	to, _, ok := parseAddress(h.to)
	if !ok {
		return nil, &messages.Undelivered{Permanent: true, Recipient: true,
			Detail: "this is not an address that mail can be sent to"}
	}
	m := &composed{id: c.key.MessageID(h.key) + "@" + domain, from: from.String(), to: to.String(),
		account: h.account, domain: domain, isDefault: h.isDefault}
	from.Name = oneLine(h.fromName)
	m.shown = address.Shown(from.Name)
	b := make([]byte, 0, 1024)
	b = appendField(b, "Date", c.now().Format(time.RFC1123Z))
	b = appendField(b, "Message-ID", "<"+m.id+">")
	b = appendField(b, "From", mailbox(from, len("From: ")))
	b = appendField(b, "To", m.to)
	if replyTo, _, ok := parseAddress(h.replyTo); ok {
		b = appendField(b, "Reply-To", replyTo.String())
	}
	b = appendField(b, "Subject", headerText(h.subject, len("Subject: ")))
	b = appendField(b, "List-Id", "<"+strconv.FormatInt(int64(h.list), 10)+".list."+domain+">")
	// The next two fields tell mail programs not to send automatic replies, such as
	// holiday notes. RFC 3834
	b = appendField(b, "Auto-Submitted", "auto-generated")
	b = appendField(b, "X-Auto-Response-Suppress", "All")
	if h.unsubscribe != "" {
		b = c.appendUnsubscribe(b, &h)
	}
	m.header = b
	return m, nil
}

// appendUnsubscribe appends the fields of a mail from which its recipient can unsubscribe: by a page, and by a mail to
// the address for bounces, for mail programs that cannot post to the page. Mailbox providers show complaints by the parts
// of Feedback-ID: the Batch or autoresponder, the List, the Account, and the installation. reference.md: message.unsubscribe
func (c *composer) appendUnsubscribe(b []byte, h *header) []byte {
	b = appendField(b, "Precedence", "bulk")
	b = appendField(b, "Feedback-ID", fmt.Sprintf("%s:l%d:a%d:%s", h.about.Cause, h.list, h.account, c.senderID))
	ways := "<" + h.unsubscribe + ">"
	if to := c.settings().Bounces; to.Domain != "" {
		ways += ", <mailto:" + url.PathEscape(to.Local) + "+" + c.key.Tag(h.about) + "@" + to.Domain + "?subject=unsubscribe>"
	}
	b = appendField(b, "List-Unsubscribe", ways)
	if strings.HasPrefix(h.unsubscribe, "https://") { // RFC 8058, 3.1 allows one-click only with https
		b = appendField(b, "List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	return b
}

// appendField appends a header field. It folds the line at a space before it has more than
// 76 characters, if there is a space. RFC 2047, 2
func appendField(b []byte, name, value string) []byte {
	b = append(append(b, name...), ':')
	width := len(name) + 1
	for i, word := range strings.Split(value, " ") {
		if i > 0 && width+1+len(word) > 76 {
			b = append(b, "\r\n"...)
			width = 0
		}
		b = append(append(b, ' '), word...)
		width += 1 + len(word)
	}
	return append(b, "\r\n"...)
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

// headerText encodes a text that is not ASCII, or that looks like an encoded word (RFC 2047).
// Without an encoding, mail programs would decode the latter. before is the length of the field's name on the first line.
func headerText(text string, before int) string {
	switch {
	case strings.Contains(text, "=?"):
		return encodedWords(mime.BEncoding, text, before)
	case isASCII(text):
		return text
	}
	return encodedWords(mime.QEncoding, text, before)
}

// mailbox returns the name and the address of a sender. In the encoded words of a name, quoted-printable allows few
// characters. RFC 2047, 5(3)
func mailbox(a *mail.Address, before int) string {
	encoding := mime.QEncoding
	switch {
	case isASCII(a.Name) && !strings.Contains(a.Name, "=?"):
		return a.String()
	case strings.ContainsAny(a.Name, "\"#$%&'(),.:;<>@[]^`{|}~=?"):
		encoding = mime.BEncoding
	}
	return encodedWords(encoding, a.Name, before) + " " + (&mail.Address{Address: a.Address}).String()
}

// maxEncodedLine is the length of a line with an encoded word, and maxEncodedWord that of the word itself. RFC 2047, 2
const (
	maxEncodedLine = 76
	maxEncodedWord = 75
)

// encodedWords returns a text in encoded words, of whole characters. The first one fits behind the name of the field.
func encodedWords(encoding mime.WordEncoder, text string, before int) string {
	var words []string
	most := maxEncodedLine - before
	for len(text) > 0 {
		word, n := "", 0
		for i := range text {
			_, size := utf8.DecodeRuneInString(text[i:])
			longer := encodedWord(encoding, text[:i+size])
			if len(longer) > most && n > 0 {
				break
			}
			word, n = longer, i+size
		}
		words = append(words, word)
		text, most = text[n:], maxEncodedWord
	}
	return strings.Join(words, " ")
}

// encodedWord returns a short text in one encoded word, also if it is ASCII.
func encodedWord(encoding mime.WordEncoder, text string) string {
	if encoding == mime.BEncoding {
		return "=?utf-8?b?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
	}
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ':
			b.WriteByte('_')
		case c > ' ' && c < 0x7f && c != '=' && c != '?' && c != '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	return "=?utf-8?q?" + b.String() + "?="
}

// oneLine returns a text as one line for a header: without control characters, and with at
// most maxSubject characters. Spaces that are no ASCII stay, such as that before a percent sign.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(merge.Plain(text), asciiSpace), " ")
	if utf8.RuneCountInString(text) <= maxSubject {
		return text
	}
	return string([]rune(text)[:maxSubject-1]) + "…"
}

// fillSender sets the addresses of a header. A sender that depends on the Contact is checked for each mail, with the
// addresses that its name shows: the checks of the Batch do not know it. decisions.md: 128
func (c *composer) fillSender(ctx context.Context, l *messages.OutgoingMail, h *header) error {
	from, replyTo, err := l.FillSender()
	if err != nil {
		return err
	}
	h.from, h.replyTo = cmp.Or(from, h.from), replyTo
	if !messages.HasMergeFields(l.Message.FromAddress) || c.domains == nil {
		return nil
	}
	for _, sender := range append(address.Shown(oneLine(h.fromName)), h.from) {
		why, err := c.domains.RefusedDomain(ctx, h.account, address.Domain(sender))
		switch {
		case err != nil:
			return &messages.Undelivered{Detail: "check the sender", Err: err}
		case why != "":
			return unsendable("the merge fields of from_address make a sender that is refused", errors.New(why))
		}
	}
	return nil
}
