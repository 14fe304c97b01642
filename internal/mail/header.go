package mail

import (
	"encoding/base64"
	"errors"
	"net/mail"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"enlist/internal/audience"

	gomail "github.com/wneessen/go-mail"
)

// envelope is what the headers of a message say.
type envelope struct {
	fromName, from string
	replyTo        string // "": none
	to             string
	subject        string
	key            string // names the message: the same key makes the same Message-ID
	list           audience.ListID
	unsubscribe    string // URL; "": there is nothing to unsubscribe from
}

// message makes a message without a body.
func (c *composer) message(e envelope) (*gomail.Msg, error) {
	from, domain, ok := parseAddress(e.from)
	if !ok {
		return nil, &audience.Undelivered{Err: errors.New("no address to send from: set one with --mail-from, or in the List")}
	}
	to, _, ok := parseAddress(e.to)
	if !ok {
		return nil, &audience.Undelivered{Permanent: true, Recipient: true, Detail: "this is no address that mail can be sent to"}
	}
	from.Name = oneLine(e.fromName)
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(from)
	m.ToMailAddress(to)
	if replyTo, _, ok := parseAddress(e.replyTo); ok {
		m.ReplyToMailAddress(replyTo)
	}
	m.SetGenHeader(gomail.HeaderSubject, headerText(e.subject))
	m.SetDateWithValue(c.now())
	m.SetMessageIDWithValue(c.key.MessageID(e.key) + "@" + domain)
	m.SetGenHeader("List-Id", "<"+strconv.FormatInt(int64(e.list), 10)+".list."+domain+">")
	// RFC 3834: nobody's holiday note should answer.
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader(gomail.HeaderXAutoResponseSuppress, "All")
	if e.unsubscribe != "" {
		m.SetGenHeader(gomail.HeaderPrecedence, "bulk")
		m.SetListUnsubscribe(e.unsubscribe)
		if strings.HasPrefix(e.unsubscribe, "https://") { // RFC 8058, 3.1: for no other link
			m.SetListUnsubscribePost()
		}
	}
	return m, nil
}

// parseAddress reads an address as it is stored. Its domain is written in ASCII,
// so that mail servers need to know of other letters only where the local part
// has some.
func parseAddress(text string) (address *mail.Address, domain string, ok bool) {
	spelling, key, ok := audience.ParseEmail(text)
	if !ok {
		return nil, "", false
	}
	local := unquote(spelling[:strings.LastIndexByte(spelling, '@')])
	if local == "" {
		return nil, "", false // "" in quotes is one, but net/mail cannot write it
	}
	domain = key[strings.LastIndexByte(key, '@')+1:]
	return &mail.Address{Address: local + "@" + domain}, domain, true
}

// unquote takes the quotes off a local part: mail.Address puts them on again.
func unquote(local string) string {
	if local[0] != '"' {
		return local
	}
	var b strings.Builder
	for i := 1; i < len(local)-1; i++ {
		if local[i] == '\\' {
			i++
		}
		b.WriteByte(local[i])
	}
	return b.String()
}

// maxSubject is how many characters of a subject are sent. A line of a mail has
// 998 bytes at most, and a long value without a space cannot be folded.
const maxSubject = 250

// headerText prepares a text for a header. One that looks like an encoded word
// is encoded, or it would be decoded into something else.
func headerText(text string) string {
	if !strings.Contains(text, "=?") {
		return text // go-mail encodes what is not ASCII
	}
	const most = 45 // bytes in an encoded word of 75
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

// oneLine makes a text fit for a header: a single line without characters that
// control anything.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(plain(text)), " ")
	if utf8.RuneCountInString(text) <= maxSubject {
		return text
	}
	return string([]rune(text)[:maxSubject-1]) + "…"
}

// plain takes out of a text what is no text: control characters but line breaks
// and tabs, and those that turn the direction of what follows.
func plain(text string) string {
	if !strings.ContainsFunc(text, controls) && utf8.ValidString(text) {
		return text
	}
	text = lineEnds.Replace(strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && controls(r) {
			return -1
		}
		return r
	}, text)
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

func controls(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < utf8.RuneSelf:
		return r < ' ' || r == 0x7f
	case '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069', r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.IsControl(r)
}
