package audience

import (
	"crypto/rand"
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// webhookEvents are the events that there are of each object.
var webhookEvents = map[WebhookObject][]WebhookEventType{
	AboutList: {WebhookCreated, WebhookUpdated, WebhookRemoved, WebhookBulkUpdated},
	AboutContact: {WebhookCreated, WebhookUpdated, WebhookRemoved, WebhookSubscribed, WebhookUnsubscribed,
		WebhookDeactivated, WebhookReactivated},
}

func joined(events []WebhookEventType) string {
	var b strings.Builder
	for i, event := range events {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(event))
	}
	return b.String()
}

// readWebhookEvent takes the name of an event; whether the object has it shows later.
func readWebhookEvent(text string) (string, error) {
	for _, events := range webhookEvents {
		if slices.Contains(events, WebhookEventType(text)) {
			return text, nil
		}
	}
	return "", expected("an event of Lists, " + joined(webhookEvents[AboutList]) + ", or of Contacts, " + joined(webhookEvents[AboutContact]) + ",")
}

// maxURL is the longest URL of a webhook, in bytes.
const maxURL = 2048

// readWebhookURL takes an absolute URL of http or https without user info,
// which logs would show, and without a fragment, which nobody would receive.
func readWebhookURL(text string) (string, error) {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	switch {
	case len(text) > maxURL:
		return "", expected("a URL of at most 2,048 bytes")
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", strings.ContainsFunc(text, unicode.IsSpace):
		return "", expected("a URL that begins with https:// or http:// and a host")
	case u.User != nil:
		return "", expected("a URL without a user name")
	case u.Fragment != "":
		return "", expected("a URL without a fragment")
	}
	if port, err := strconv.Atoi(u.Port()); u.Port() != "" && (err != nil || port < 1 || port > 65535) {
		return "", expected("a URL with a port from 1 to 65535")
	}
	return text, nil
}

// The secret of a webhook, as Standard Webhooks has it.
const (
	secretPrefix            = "whsec_"
	secretBytes             = 32 // of a new one
	leastSecret, mostSecret = 24, 64
)

// readWebhookSecret takes a secret; "" asks for one to be chosen.
func readWebhookSecret(text string) (string, error) {
	if text = strings.TrimSpace(text); text == "" {
		return "", nil
	}
	if _, ok := WebhookKey(text); !ok {
		return "", expected(`a secret, "whsec_" and 24 to 64 bytes in base64,`)
	}
	return text, nil
}

// WebhookKey returns the key in a webhook's secret, 24 to 64 bytes; false when
// it is none. decisions.md: 52
func WebhookKey(secret string) (key []byte, ok bool) {
	encoded, ok := strings.CutPrefix(secret, secretPrefix)
	if !ok {
		return nil, false
	}
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	return key, err == nil && len(key) >= leastSecret && len(key) <= mostSecret && base64.StdEncoding.EncodeToString(key) == encoded
}

func newWebhookSecret() string {
	var key [secretBytes]byte
	rand.Read(key[:]) // never fails: crypto/rand
	return secretPrefix + base64.StdEncoding.EncodeToString(key[:])
}
