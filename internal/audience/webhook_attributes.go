package audience

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// This file lists the keys of a webhook's record, and reads the values that callers send for
// them.

// WebhookAttributes are the keys of a webhook's record in a search, in the order of a reply. The
// secret is left out. decisions.md: 52
var WebhookAttributes = []Attribute[Webhook]{
	searchable(readOnlyInt("id", func(w *Webhook) WebhookID { return w.ID })),
	searchable(refKey("list_id", func(w *Webhook) *ListID { return &w.ListID })),
	searchable(textKey("object", func(w *Webhook) *WebhookObject { return &w.Object },
		oneOf(string(AboutList), string(AboutContact), string(AboutBatch)))),
	searchable(textKey("event", func(w *Webhook) *WebhookEventType { return &w.Event }, readWebhookEvent)),
	searchable(textKey("url", func(w *Webhook) *string { return &w.URL }, readWebhookURL)),
	searchable(readOnlyInt("creation_time", func(w *Webhook) int64 { return w.CreationTime })),
	searchable(readOnlyInt("last_modified_time", func(w *Webhook) int64 { return w.LastModifiedTime })),
	searchable(readOnlyFlag("is_failing", func(w *Webhook) bool { return w.IsFailing })),
	readOnlyText("last_error", func(w *Webhook) string { return w.LastError }),
}

// WholeWebhookAttributes are the WebhookAttributes and the secret.
var WholeWebhookAttributes = append(slices.Clip(WebhookAttributes),
	textKey("secret", func(w *Webhook) *string { return &w.Secret }, readWebhookSecret))

// joinEvents returns the names of events, separated by commas, for an error text.
func joinEvents(events []WebhookEventType) string {
	names := make([]string, len(events))
	for i, event := range events {
		names[i] = string(event)
	}
	return strings.Join(names, ", ")
}

// readWebhookEvent accepts the name of an event of any object. Webhook.check then refuses an
// event that the webhook's object does not have.
func readWebhookEvent(text string) (string, error) {
	for _, object := range []WebhookObject{AboutList, AboutContact, AboutBatch} {
		if slices.Contains(webhookEvents(object), WebhookEventType(text)) {
			return text, nil
		}
	}
	return "", expected("an event of Lists, " + joinEvents(webhookEvents(AboutList)) + ", of Contacts, " +
		joinEvents(webhookEvents(AboutContact)) + ", or of Batches, " + joinEvents(webhookEvents(AboutBatch)))
}

// maxURL is the longest URL of a webhook, in bytes.
const maxURL = 2048

// readWebhookURL accepts an absolute URL of http or https. It refuses user info, which logs
// would show, and a fragment, which HTTP does not send.
func readWebhookURL(text string) (string, error) {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	switch {
	case len(text) > maxURL:
		return "", expected("a URL of at most 2,048 bytes")
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "",
		strings.ContainsFunc(text, unicode.IsSpace):
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
