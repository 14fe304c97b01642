package mail

import (
	"errors"
	"net/textproto"
	"strconv"
	"strings"
	"unicode"

	"enlist/internal/audience"
)

// stage is how far the sending of a message has come.
type stage string

const (
	stageConnect stage = "connect to the mail server"
	stageMail    stage = "name the sender"
	stageRcpt    stage = "name the recipient"
	stageData    stage = "begin the message"
	stageText    stage = "send the message"
)

// failure is an error at a stage.
type failure struct {
	stage stage
	err   error
}

// code is that of the server's reply, 0 when there was none.
func (f *failure) code() int {
	if reply, ok := errors.AsType[*textproto.Error](f.err); ok {
		return reply.Code
	}
	return 0
}

// broken reports whether the connection is good for nothing any more.
func (f *failure) broken() bool {
	code := f.code()
	return code == 0 || code == 421 || f.stage == stageConnect
}

// untaken reports whether nothing of the message can have been accepted.
func (f *failure) untaken() bool { return f.stage != stageText }

// undelivered says what the failure means. decisions.md: 50
func (f *failure) undelivered() *audience.Undelivered {
	u := &audience.Undelivered{Detail: string(f.stage), Err: brief{f.err}}
	reply, ok := errors.AsType[*textproto.Error](f.err)
	if !ok {
		return u
	}
	u.Code, u.Detail = reply.Code, shorten(reply.Msg)
	if f.stage == stageConnect {
		// Refused is not the message but everybody. Somebody will put that right.
		u.Code, u.Detail = 0, string(f.stage)
		return u
	}
	u.Permanent = reply.Code/100 == 5
	u.Recipient = u.Permanent && f.blamesRecipient(reply)
	return u
}

// blamesRecipient reports whether a permanent refusal is about the address: a
// reply to the address that is not about something else, and a reply to the
// message that is about the address.
func (f *failure) blamesRecipient(reply *textproto.Error) bool {
	status := enhanced(reply.Msg)
	switch f.stage {
	case stageRcpt:
		switch reply.Code {
		case 550, 551, 552, 553, 554, 556, 521: // RFC 5321, 4.2.3; RFC 7504
			return status == "" || aboutAddress(status)
		}
		return strings.HasPrefix(status, "5.1.") && aboutAddress(status)
	case stageData, stageText:
		return (strings.HasPrefix(status, "5.1.") || strings.HasPrefix(status, "5.2.")) && aboutAddress(status)
	}
	return false
}

// aboutAddress reports whether an enhanced status code of a permanent failure
// says that the address takes no mail: not when it is about the sender's
// address, the mail system, the message or policy. RFC 3463
func aboutAddress(status string) bool {
	switch status {
	case "5.1.7", "5.1.8", "5.1.9", "5.2.3": // the sender's address; a message too long
		return false
	}
	switch subject, _, _ := strings.Cut(strings.TrimPrefix(status, "5."), "."); subject {
	case "3", "6", "7":
		return false
	}
	return strings.HasPrefix(status, "5.")
}

// enhanced returns the enhanced status code that a reply begins with, "" when
// there is none.
func enhanced(reply string) string {
	status, _, _ := strings.Cut(reply, " ")
	parts := strings.Split(status, ".")
	if len(parts) != 3 || len(status) > len("5.999.999") {
		return ""
	}
	for _, part := range parts {
		if _, err := strconv.ParseUint(part, 10, 16); err != nil {
			return ""
		}
	}
	return status
}

// brief is an error that may hold text of others.
type brief struct{ error }

func (b brief) Error() string { return shorten(b.error.Error()) }

func (b brief) Unwrap() error { return b.error }

// longestDetail bounds what is kept of what others say, in bytes.
const longestDetail = 500

// shorten is text of others as one line of bounded length.
func shorten(text string) string {
	text = strings.ToValidUTF8(text, "?")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if len(text) <= longestDetail {
		return text
	}
	return strings.ToValidUTF8(text[:longestDetail], "") + "…"
}
