package sending

import (
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file counts the mails of a Batch by edition. An edit of a Message makes a new edition for the recipients that
// have not got it. So a report shows how many got which. decisions.md: 79

func (l *LeasedSlice) editionOf(contact enlist.ContactID) recipients.Edition {
	number, m := l.Of.VariantOf(contact), l.content(contact).Message
	return recipients.Edition{Variant: number, Message: m.ID, MessageTime: m.LastModifiedTime, Subject: m.Subject}
}

func (l *LeasedSlice) content(contact enlist.ContactID) *batches.MailContent {
	if n := l.Of.VariantOf(contact); n > 0 {
		return &l.Contents[n-1]
	}
	return &l.Contents[0]
}
