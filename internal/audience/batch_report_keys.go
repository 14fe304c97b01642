package audience

import (
	"regexp"
	"slices"
)

// This file has the keys of the rows of a Batch. The rows of each kind begin with the same three keys.

const (
	keySend    = "send_id"
	keyContact = "contact_id"
)

// sendKey is the ID of a mail. A Batch sends a Contact one mail, so this is the ID of the Contact. decisions.md: 61
var sendKey = searchable(readOnlyInt(keySend, func(r *BatchRow) ContactID { return r.Contact }))

var contactKeysOfRow = []Attribute[BatchRow]{
	searchable(readOnlyInt(keyContact, func(r *BatchRow) ContactID { return r.Contact })),
	searchable(readOnlyText("contact_email", func(r *BatchRow) string { return r.Address })),
}

var rowAttributes = map[EventKind][]Attribute[BatchRow]{
	RowsSent:      rowKeys(),
	RowsNotOpened: rowKeys(),
	EventOpened: rowKeys(
		rowTime("time"),
		searchable(readOnlyText("device", func(r *BatchRow) Device { return r.Event.Device })),
		searchable(readOnlyText("mail_client", func(r *BatchRow) string { return mailClientOf(r.Event.Client).Title })),
		searchable(readOnlyInt("open_count", func(r *BatchRow) int64 { return r.Event.Count })),
		rowHuman),
	EventClicked: rowKeys(
		rowTime("time"),
		searchable(readOnlyInt("links_clicked", func(r *BatchRow) int64 { return r.Event.Count })),
		rowHuman),
	EventBounced: rowKeys(
		searchable(readOnlyText("type", func(*BatchRow) string { return "hard" })),
		computed(searchable(readOnlyText("code", func(r *BatchRow) string { return bounceCode(r.Detail) }))),
		searchable(readOnlyText("text", func(r *BatchRow) string { return r.Detail })),
		rowTime("time")),
	EventComplained: rowKeys(
		rowTime("complaint_timestamp"),
		readOnlyText("complaint_provider_type", func(*BatchRow) string { return "feedback_loop" }),
		readOnlyFlag("is_complaint", func(*BatchRow) bool { return true })),
	EventUnsubscribed: rowKeys(rowTime("time")),
	EventDeactivated:  rowKeys(rowTime("time")),
	RowsUpdated:       rowKeys(rowTime("time")),
	EventLink: slices.Concat([]Attribute[BatchRow]{
		sendKey,
		searchable(readOnlyInt("link_id", func(r *BatchRow) LinkID { return r.Event.Link })),
		computed(readOnlyInt("link_click_id", (*BatchRow).clickID)),
	}, contactKeysOfRow, []Attribute[BatchRow]{
		computed(searchable(readOnlyText("link_name", func(r *BatchRow) string { return r.LinkURL }))),
		computed(searchable(readOnlyText("link_url", func(r *BatchRow) string { return r.LinkURL }))),
		searchable(readOnlyInt("links_clicked", func(r *BatchRow) int64 { return r.Event.Count })),
	}),
}

// BatchRowAttributes returns the keys of the rows of a kind, in their order on the wire.
func BatchRowAttributes(kind EventKind) []Attribute[BatchRow] { return rowAttributes[kind] }

// rowKeys returns the keys that all kinds have, and others.
func rowKeys(others ...Attribute[BatchRow]) []Attribute[BatchRow] {
	return slices.Concat([]Attribute[BatchRow]{sendKey}, contactKeysOfRow, others)
}

func rowTime(name string) Attribute[BatchRow] {
	return searchable(readOnlyInt(name, func(r *BatchRow) int64 { return r.Event.Time }))
}

// rowHuman says whether a person caused one of the events.
var rowHuman = searchable(readOnlyFlag("is_human", func(r *BatchRow) bool { return r.Event.Human != 0 }))

// statusCode matches the code in the reply of a mail server or in a report: an enhanced one (RFC 3463) or a plain one.
var statusCode = regexp.MustCompile(`\b5\.\d{1,3}\.\d{1,3}\b`)

var replyCode = regexp.MustCompile(`\b5\d\d\b`)

// bounceCode returns the enhanced code in a text, or else the plain one, or "".
func bounceCode(detail string) string {
	if code := statusCode.FindString(detail); code != "" {
		return code
	}
	return replyCode.FindString(detail)
}

// LinkAttributes are the keys of the numbers of a link, in their order on the wire.
var LinkAttributes = []Attribute[LinkSums]{
	readOnlyInt("link_id", func(l *LinkSums) LinkID { return l.Link }),
	readOnlyText("link_name", func(l *LinkSums) string { return l.URL }),
	readOnlyText("link_url", func(l *LinkSums) string { return l.URL }),
	readOnlyInt("click_count", func(l *LinkSums) int64 { return l.Clicks }),
	readOnlyInt("contact_count", func(l *LinkSums) int64 { return l.Contacts }),
}
