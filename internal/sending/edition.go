package sending

import (
	"cmp"

	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file counts the mails of a Batch by edition. An edit of a Message makes a new edition for the recipients that
// have not got it. So a report shows how many got which. decisions.md: 79

// Edition is a state of a Message that a Batch has sent.
type Edition struct {
	Variant     int64 // number of the variant; 0: the Batch has no variants
	Message     enlist.MessageID
	MessageTime int64  // last_modified_time of the Message
	Subject     string // with merge fields
	FirstTime   int64  // when the first mail was stored
	Sent        int64  // mails that the mail server has accepted
}

// editionOf returns the Edition of a mail.
func (l *LeasedSlice) editionOf(contact enlist.ContactID) Edition {
	number, m := l.Of.VariantOf(contact), l.content(contact).Message
	return Edition{Variant: number, Message: m.ID, MessageTime: m.LastModifiedTime, Subject: m.Subject}
}

// byEdition compares Editions in the order in which a transaction adds to them.
func byEdition(a, b Edition) int {
	return cmp.Or(cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.Message, b.Message),
		cmp.Compare(a.MessageTime, b.MessageTime))
}

// EditionAttributes are the keys of an Edition, in their order on the wire.
var EditionAttributes = []enlist.Attribute[Edition]{
	enlist.ReadOnlyInt("variant", func(e *Edition) int64 { return e.Variant }),
	enlist.ReadOnlyInt("message_id", func(e *Edition) enlist.MessageID { return e.Message }),
	enlist.ReadOnlyInt("message_time", func(e *Edition) int64 { return e.MessageTime }),
	enlist.ReadOnlyText("subject", func(e *Edition) string { return e.Subject }),
	enlist.ReadOnlyInt("first_sent_time", func(e *Edition) int64 { return e.FirstTime }),
	enlist.ReadOnlyInt("sent_count", func(e *Edition) int64 { return e.Sent }),
}

// content returns the content of a recipient's mail.
func (l *LeasedSlice) content(contact enlist.ContactID) *batches.MailContent {
	if n := l.Of.VariantOf(contact); n > 0 {
		return &l.Contents[n-1]
	}
	return &l.Contents[0]
}
