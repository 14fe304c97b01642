package webhooks

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"enlist/internal/enlist"
)

// This file lists the keys of a webhook's record, and reads the values that callers send for
// them.

// WebhookAttributes are the keys of a webhook's record in a search, in the order of a reply. The
// secret is left out. decisions.md: 52
var WebhookAttributes = []enlist.Attribute[enlist.Webhook]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(w *enlist.Webhook) enlist.WebhookID { return w.ID })),
	enlist.Searchable(enlist.RefKey("list_id", func(w *enlist.Webhook) *enlist.ListID { return &w.ListID })),
	enlist.Searchable(enlist.TextKey("object", func(w *enlist.Webhook) *enlist.WebhookObject { return &w.Object },
		enlist.OneOf(string(enlist.AboutList), string(enlist.AboutContact), string(enlist.AboutBatch)))),
	enlist.Searchable(enlist.TextKey("event", func(w *enlist.Webhook) *enlist.WebhookEventType { return &w.Event },
		readWebhookEvent)),
	enlist.Searchable(enlist.TextKey("url", func(w *enlist.Webhook) *string { return &w.URL }, readWebhookURL)),
	enlist.Searchable(enlist.ReadOnlyInt("creation_time", func(w *enlist.Webhook) int64 { return w.CreationTime })),
	enlist.Searchable(enlist.ReadOnlyInt("last_modified_time",
		func(w *enlist.Webhook) int64 { return w.LastModifiedTime })),
	enlist.Searchable(enlist.ReadOnlyFlag("is_failing", func(w *enlist.Webhook) bool { return w.IsFailing })),
	enlist.ReadOnlyText("last_error", func(w *enlist.Webhook) string { return w.LastError }),
}

// WholeWebhookAttributes are the WebhookAttributes and the secret.
var WholeWebhookAttributes = append(slices.Clip(WebhookAttributes),
	enlist.TextKey("secret", func(w *enlist.Webhook) *string { return &w.Secret }, readWebhookSecret))

// joinEvents returns the names of events, separated by commas, for an error text.
func joinEvents(events []enlist.WebhookEventType) string {
	names := make([]string, len(events))
	for i, event := range events {
		names[i] = string(event)
	}
	return strings.Join(names, ", ")
}

// readWebhookEvent accepts the name of an event of any object. checkWebhook then refuses an
// event that the webhook's object does not have.
func readWebhookEvent(text string) (string, error) {
	for _, object := range []enlist.WebhookObject{enlist.AboutList, enlist.AboutContact, enlist.AboutBatch} {
		if slices.Contains(enlist.WebhookEvents(object), enlist.WebhookEventType(text)) {
			return text, nil
		}
	}
	return "", enlist.Expected("an event of Lists, " + joinEvents(enlist.WebhookEvents(enlist.AboutList)) +
		", of Contacts, " +
		joinEvents(enlist.WebhookEvents(enlist.AboutContact)) + ", or of Batches, " +
		joinEvents(enlist.WebhookEvents(enlist.AboutBatch)))
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
		return "", enlist.Expected("a URL of at most 2,048 bytes")
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "",
		strings.ContainsFunc(text, unicode.IsSpace):
		return "", enlist.Expected("a URL that begins with https:// or http:// and a host")
	case u.User != nil:
		return "", enlist.Expected("a URL without a user name")
	case u.Fragment != "":
		return "", enlist.Expected("a URL without a fragment")
	}
	if port, err := strconv.Atoi(u.Port()); u.Port() != "" && (err != nil || port < 1 || port > 65535) {
		return "", enlist.Expected("a URL with a port from 1 to 65535")
	}
	return text, nil
}
