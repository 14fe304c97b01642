package feedback

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"enlist/internal/mail/reply"
)

// This file has the provider Mailgun. It posts one event in a request. Its signature covers the time and a random
// token, but not the event.

func newMailgun(key string) (reader, error) {
	if key == "" {
		return nil, errors.New("set ENLIST_BOUNCE_KEY to the HTTP webhook signing key of Mailgun")
	}
	return func(_ context.Context, _ http.Header, body []byte, now time.Time) ([]event, error) {
		return readMailgun([]byte(key), body, now)
	}, nil
}

// mailgunFields returns a field with variables, which Mailgun repeats in events.
func mailgunFields(tag string) string {
	return "X-Mailgun-Variables: {\"" + variable + "\":\"" + tag + "\"}\r\n"
}

// mailgunEvent has the keys of a request that the service reads.
type mailgunEvent struct {
	Signature struct{ Timestamp, Token, Signature string }
	Event     struct {
		Event     string
		Severity  string                  // permanent or temporary
		Reason    string                  // such as bounce, old or suppress-bounce
		Variables struct{ Enlist string } `json:"user-variables"`
		Status    mailgunStatus           `json:"delivery-status"`
	} `json:"event-data"`
}

// mailgunStatus is the result of the last attempt to deliver a mail. Codes from 600 are Mailgun's own.
type mailgunStatus struct {
	Code        int
	Enhanced    string `json:"enhanced-code"`
	Message     string
	Description string
}

func readMailgun(key, body []byte, now time.Time) ([]event, error) {
	var r mailgunEvent
	if err := decode(body, &r); err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(r.Signature.Timestamp + r.Signature.Token))
	sum, err := hex.DecodeString(r.Signature.Signature)
	sent, badTime := strconv.ParseInt(r.Signature.Timestamp, 10, 64)
	if err != nil || !hmac.Equal(sum, mac.Sum(nil)) || badTime != nil || !isFresh(time.Unix(sent, 0), now) {
		return nil, errForged
	}
	s := &r.Event.Status
	if s.Message == "" {
		s.Message = s.Description
	}
	return []event{{r.kind(), r.Event.Variables.Enlist, reply.Detail(s.Enhanced, s.Message)}}, nil
}

// kind returns what an event means. Mailgun also calls a failure permanent if it has tried for hours in vain, or if the
// recipient's server refuses the sender. Neither is a failure of the address.
func (r *mailgunEvent) kind() kind {
	switch e := &r.Event; e.Event {
	case "complained":
		return complaint
	case "unsubscribed":
		return unsubscribe
	case "failed":
		refused := e.Status.Code == 0 || e.Status.Code/100 == 5
		switch {
		case e.Severity != "permanent":
		case strings.HasPrefix(e.Reason, "suppress-"), refused && reply.Blames(e.Status.Enhanced, e.Status.Message):
			return bounce
		default:
			return refusal
		}
	}
	return ignored
}
