package mail

import (
	"errors"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"enlist/internal/mail/reply"
	"enlist/internal/messages"
)

// This file decides what an error of the mail server means: whether the connection still
// works, whether another attempt is useful, and whether the recipient's address is the
// reason (a bounce). decisions.md: 50

// stage is the step of sending at which an error occurred.
type stage string

const (
	stageConnect stage = "connect to the mail server"
	stageMail    stage = "send the sender's address"
	stageRcpt    stage = "send the recipient's address"
	stageData    stage = "begin to send the message"
	stageText    stage = "send the message"
)

type failure struct {
	stage stage
	err   error
}

// code returns the SMTP reply code, or 0 if there was no reply.
func (f *failure) code() int {
	if answer, ok := errors.AsType[*textproto.Error](f.err); ok {
		return answer.Code
	}
	return 0
}

// broken reports whether the connection can no longer be used. A server that replies 421
// closes the connection. RFC 5321, 3.8
func (f *failure) broken() bool {
	code := f.code()
	return code == 0 || code == 421 || f.stage == stageConnect
}

// notAccepted returns true if the server cannot have accepted the message.
func (f *failure) notAccepted() bool { return f.stage != stageText }

// undelivered converts the failure into an error for the queue. decisions.md: 50
func (f *failure) undelivered() *messages.Undelivered {
	u := &messages.Undelivered{Detail: string(f.stage), Err: shortError{f.err}}
	answer, ok := errors.AsType[*textproto.Error](f.err)
	if !ok {
		u.Unknown = !f.notAccepted()
		return u
	}
	u.Code, u.Detail = answer.Code, Shorten(answer.Msg)
	if f.stage == stageConnect {
		// The server refused the connection or the login, but not this message. The message
		// stays in the queue until the operator has corrected the settings.
		u.Code, u.Detail = 0, string(f.stage)
		return u
	}
	u.Slower = f.slower(answer)
	u.Permanent = answer.Code/100 == 5
	u.Recipient = u.Permanent && f.blamesRecipient(answer)
	return u
}

// slower says for which mails the reply asks for a lower rate. A server that closes the connection (421), or that
// refuses the sender before it knows the recipient, has too many mails of this service. decisions.md: 63
func (f *failure) slower(r *textproto.Error) messages.Slower {
	policy := r.Code/100 == 4 && policyCode.MatchString(r.Msg)
	switch {
	case r.Code == 421, policy && f.stage == stageMail:
		return messages.SlowerRelay
	case policy:
		return messages.SlowerDomain
	}
	return ""
}

// policyCode matches a reply that begins with a code of policy or rate. RFC 3463, 3.8
var policyCode = regexp.MustCompile(`^4\.7\.\d{1,3}(?: |$)`)

// blamesRecipient reports whether the reason of a permanent refusal is the recipient's address. A reply to MAIL is about
// the sender.
func (f *failure) blamesRecipient(r *textproto.Error) bool {
	switch f.stage {
	case stageRcpt, stageData, stageText:
		text := strconv.Itoa(r.Code) + " " + r.Msg
		return reply.Judge("", text, f.stage != stageRcpt).IsAboutAddress()
	}
	return false
}

// shortError is an error whose text may come from a mail server. Its method Error returns
// one line of limited length.
type shortError struct{ error }

func (e shortError) Error() string { return Shorten(e.error.Error()) }

func (e shortError) Unwrap() error { return e.error }

// longestDetail limits a text from a mail server that is stored or logged, in bytes.
const longestDetail = 500

// Shorten returns a text from a mail server as one printable line. It cuts the line after
// longestDetail bytes.
func Shorten(text string) string {
	text = strings.ToValidUTF8(text, "?")
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	text = strings.Join(words, " ")
	if len(text) <= longestDetail {
		return text
	}
	return strings.ToValidUTF8(text[:longestDetail], "") + "…"
}
