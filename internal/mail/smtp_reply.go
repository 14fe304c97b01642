package mail

import (
	"errors"
	"net/textproto"
	"strconv"
	"strings"
	"unicode"

	"enlist/internal/audience"
)

// This file decides what an error of the mail server means. Does the connection
// still work? Is another attempt useful? Is the recipient's address the cause (a
// bounce)? decisions.md: 50

// stage is the step of sending at which an error occurred.
type stage string

const (
	stageConnect stage = "connect to the mail server"
	stageMail    stage = "send the sender's address"
	stageRcpt    stage = "send the recipient's address"
	stageData    stage = "begin to send the message"
	stageText    stage = "send the message"
)

// failure is an error of sending and its stage.
type failure struct {
	stage stage
	err   error
}

// code returns the SMTP reply code, 0 without a reply.
func (f *failure) code() int {
	if reply, ok := errors.AsType[*textproto.Error](f.err); ok {
		return reply.Code
	}
	return 0
}

// broken reports whether the connection can no longer be used. With 421 the
// server announces that it closes it. RFC 5321, 3.8
func (f *failure) broken() bool {
	code := f.code()
	return code == 0 || code == 421 || f.stage == stageConnect
}

// notAccepted reports whether the server cannot have accepted the message.
func (f *failure) notAccepted() bool { return f.stage != stageText }

// undelivered translates the failure for the queue. decisions.md: 50
func (f *failure) undelivered() *audience.Undelivered {
	u := &audience.Undelivered{Detail: string(f.stage), Err: shortError{f.err}}
	reply, ok := errors.AsType[*textproto.Error](f.err)
	if !ok {
		return u
	}
	u.Code, u.Detail = reply.Code, shorten(reply.Msg)
	if f.stage == stageConnect {
		// The server refused the connection or the login, not this message. The
		// operator has to correct that; until then the message stays in the queue.
		u.Code, u.Detail = 0, string(f.stage)
		return u
	}
	u.Permanent = reply.Code/100 == 5
	u.Recipient = u.Permanent && f.blamesRecipient(reply)
	return u
}

// blamesRecipient reports whether a permanent refusal is about the recipient's
// address. A reply to RCPT is, unless its enhanced status code names another
// reason. A reply to the message is only if its status code names the address.
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
// says that the address accepts no mail. Codes about the sender's address, the
// mail system (5.3), the message (5.6) and policy (5.7) do not. RFC 3463
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

// enhanced returns the enhanced status code at the beginning of a reply, such as
// 5.1.1, or "" without one.
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

// shortError is an error whose text may come from a mail server. Its text is one
// line of bounded length.
type shortError struct{ error }

// Error returns the shortened text.
func (e shortError) Error() string { return shorten(e.error.Error()) }

// Unwrap returns the whole error.
func (e shortError) Unwrap() error { return e.error }

// longestDetail limits the text of mail servers that is stored and logged, in
// bytes.
const longestDetail = 500

// shorten returns a text from outside as one printable line of at most
// longestDetail bytes.
func shorten(text string) string {
	text = strings.ToValidUTF8(text, "?")
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	text = strings.Join(words, " ")
	if len(text) <= longestDetail {
		return text
	}
	return strings.ToValidUTF8(text[:longestDetail], "") + "…"
}
