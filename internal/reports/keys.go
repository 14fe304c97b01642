package reports

import (
	"regexp"
	"slices"

	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/recipients"
)

// This file has the keys of the rows of a Batch. The rows of each kind begin with the same three keys.

const (
	keySend    = "send_id"
	keyContact = "contact_id"
)

// sendKey is the ID of a mail. A Batch sends a Contact one mail, so this is the ID of the Contact. decisions.md: 61
var sendKey = enlist.Searchable(enlist.ReadOnlyInt(keySend, func(r *recipients.Row) enlist.ContactID { return r.Contact }))

var contactKeysOfRow = []enlist.Attribute[recipients.Row]{
	enlist.Searchable(enlist.ReadOnlyInt(keyContact, func(r *recipients.Row) enlist.ContactID { return r.Contact })),
	enlist.Searchable(enlist.ReadOnlyText("contact_email", func(r *recipients.Row) string { return r.Address })),
}

var rowAttributes = map[recipients.EventKind][]enlist.Attribute[recipients.Row]{
	recipients.RowsSent:      rowKeys(),
	recipients.RowsAccepted:  rowKeys(),
	recipients.RowsDeferred:  rowKeys(),
	recipients.RowsFailed:    rowKeys(),
	recipients.RowsDelivered: rowKeys(),
	recipients.RowsNotOpened: rowKeys(),
	recipients.EventOpened: rowKeys(
		rowTime("time"),
		enlist.Searchable(enlist.ReadOnlyText("device", func(r *recipients.Row) pace.Device { return r.Event.Device })),
		enlist.Searchable(enlist.ReadOnlyText("mail_client",
			func(r *recipients.Row) string { return pace.MailClientOf(r.Event.Client).Title }))),
	recipients.RowsOpens: rowKeys(
		rowTime("time"),
		enlist.Searchable(enlist.ReadOnlyInt("open_count", func(r *recipients.Row) int64 { return r.Event.Count })),
		rowHuman),
	recipients.EventClicked: rowKeys(
		rowTime("time"),
		enlist.Searchable(enlist.ReadOnlyInt("links_clicked", func(r *recipients.Row) int64 { return r.Event.Count })),
		rowHuman),
	recipients.EventBounced: rowKeys(
		enlist.Searchable(enlist.ReadOnlyText("type", func(*recipients.Row) string { return "hard" })),
		enlist.Computed(enlist.Searchable(enlist.ReadOnlyText("code",
			func(r *recipients.Row) string { return bounceCode(r.Detail) }))),
		enlist.Searchable(enlist.ReadOnlyText("text", func(r *recipients.Row) string { return r.Detail })),
		rowTime("time")),
	recipients.EventComplained: rowKeys(
		rowTime("complaint_timestamp"),
		enlist.ReadOnlyText("complaint_provider_type", func(*recipients.Row) string { return "feedback_loop" }),
		enlist.ReadOnlyFlag("is_complaint", func(*recipients.Row) bool { return true })),
	recipients.EventUnsubscribed: rowKeys(
		enlist.Searchable(enlist.ReadOnlyText("unsubscribe_email", func(r *recipients.Row) string { return r.Address })),
		rowTime("time")),
	recipients.EventDeactivated: rowKeys(rowTime("time")),
	recipients.EventRepeated:    rowKeys(rowTime("time")),
	recipients.RowsUpdated:      rowKeys(rowTime("time")),
	recipients.EventLink: slices.Concat([]enlist.Attribute[recipients.Row]{
		sendKey,
		enlist.Searchable(enlist.ReadOnlyInt("link_id", func(r *recipients.Row) enlist.LinkID { return r.Event.Link })),
		enlist.Computed(enlist.ReadOnlyInt("link_click_id", clickID)),
	}, contactKeysOfRow, []enlist.Attribute[recipients.Row]{
		enlist.Computed(enlist.Searchable(enlist.ReadOnlyText("link_name",
			func(r *recipients.Row) string { return r.LinkURL }))),
		enlist.Computed(enlist.Searchable(enlist.ReadOnlyText("link_url",
			func(r *recipients.Row) string { return r.LinkURL }))),
		enlist.Searchable(enlist.ReadOnlyInt("links_clicked", func(r *recipients.Row) int64 { return r.Event.Count })),
	}),
}

// BatchRowAttributes returns the keys of the rows of a kind, in their order on the wire.
func BatchRowAttributes(kind recipients.EventKind) []enlist.Attribute[recipients.Row] {
	return rowAttributes[kind]
}

// rowKeys returns the keys that all kinds have, and others.
func rowKeys(others ...enlist.Attribute[recipients.Row]) []enlist.Attribute[recipients.Row] {
	return slices.Concat([]enlist.Attribute[recipients.Row]{sendKey}, contactKeysOfRow, others)
}

func rowTime(name string) enlist.Attribute[recipients.Row] {
	return enlist.Searchable(enlist.ReadOnlyInt(name, func(r *recipients.Row) int64 { return r.Event.Time }))
}

// rowHuman says whether a person caused one of the events.
var rowHuman = enlist.Searchable(enlist.ReadOnlyFlag("is_human", func(r *recipients.Row) bool { return r.Event.Human != 0 }))

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
var LinkAttributes = []enlist.Attribute[recipients.LinkSums]{
	enlist.ReadOnlyInt("link_id", func(l *recipients.LinkSums) enlist.LinkID { return l.Link }),
	enlist.ReadOnlyText("link_name", func(l *recipients.LinkSums) string { return l.URL }),
	enlist.ReadOnlyText("link_url", func(l *recipients.LinkSums) string { return l.URL }),
	enlist.ReadOnlyInt("click_count", func(l *recipients.LinkSums) int64 { return l.Clicks }),
	enlist.ReadOnlyInt("contact_count", func(l *recipients.LinkSums) int64 { return l.Contacts }),
}

// Response is a reply to a mail by SMS. There are none, because this service sends no SMS.
type Response struct{}

// ResponseAttributes are the keys of a Response, in their order on the wire.
var ResponseAttributes = []enlist.Attribute[Response]{
	noNumber("id"), noNumber("contact_id"), noNumber("send_id"), noText("mobile_phone"), noText("updated_field"),
	noNumber("time"), noText("response_text"), noFlag("is_unsubscribed"), noFlag("is_active"),
	noNumber("last_modified_time"),
}

func noNumber(name string) enlist.Attribute[Response] {
	return enlist.Searchable(enlist.ReadOnlyInt(name, func(*Response) int64 { return 0 }))
}

func noText(name string) enlist.Attribute[Response] {
	return enlist.Searchable(enlist.ReadOnlyText(name, func(*Response) string { return "" }))
}

func noFlag(name string) enlist.Attribute[Response] {
	return enlist.Searchable(enlist.ReadOnlyFlag(name, func(*Response) bool { return false }))
}
