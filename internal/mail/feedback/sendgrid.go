package feedback

import (
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"enlist/internal/mail/reply"
)

// This file has the provider SendGrid. It posts an array of events, and signs the time and the body of a request with
// ECDSA.

// The header fields of a signed request.
const (
	sendGridSignature = "X-Twilio-Email-Event-Webhook-Signature"
	sendGridTime      = "X-Twilio-Email-Event-Webhook-Timestamp"
)

func newSendGrid(key string) (reader, error) {
	der, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		der = nil
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	public, ok := parsed.(*ecdsa.PublicKey)
	if err != nil || !ok {
		return nil, errors.New("set ENLIST_BOUNCE_KEY to the verification key of SendGrid's Signed Event Webhook, as SendGrid shows it")
	}
	return func(_ context.Context, header http.Header, body []byte, now time.Time) ([]event, error) {
		return readSendGrid(public, header, body, now)
	}, nil
}

// sendGridFields returns a field with an argument, which SendGrid removes from the mail and repeats in events.
func sendGridFields(tag string) string {
	return "X-SMTPAPI: {\"unique_args\":{\"" + variable + "\":\"" + tag + "\"}}\r\n"
}

// sendGridEvent has the keys of an event that the service reads.
type sendGridEvent struct {
	Event  string
	Type   string // of a bounce: bounce or blocked
	Reason string
	Status string // enhanced status code
	Enlist string // the argument of fields
}

func readSendGrid(key *ecdsa.PublicKey, header http.Header, body []byte, now time.Time) ([]event, error) {
	timestamp := header.Get(sendGridTime)
	hash := sha256.New()
	hash.Write([]byte(timestamp))
	hash.Write(body)
	signature, err := base64.StdEncoding.DecodeString(header.Get(sendGridSignature))
	sent, badTime := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || !ecdsa.VerifyASN1(key, hash.Sum(nil), signature) || badTime != nil ||
		!isFresh(time.Unix(sent, 0), now) {
		return nil, errForged
	}
	var all []sendGridEvent
	if err := decode(body, &all); err != nil {
		return nil, err
	}
	events := make([]event, len(all))
	for i := range all {
		events[i] = event{all[i].kind(), all[i].Enlist, reply.Detail(all[i].Status, all[i].Reason)}
	}
	return events, nil
}

// kind returns what an event means. SendGrid drops a mail without an attempt if the address is on one of its lists.
func (e *sendGridEvent) kind() kind {
	switch e.Event {
	case "spamreport":
		return complaint
	case "unsubscribe", "group_unsubscribe":
		return unsubscribe
	case "bounce":
		if e.Type == "blocked" || e.Type == "expired" || !reply.Blames(e.Status, e.Reason) {
			return refusal
		}
		return bounce
	case "dropped":
		switch strings.ToLower(e.Reason) {
		case "bounced address", "spam reporting address", "unsubscribed address", "invalid":
			return bounce
		}
		return refusal
	}
	return ignored
}
