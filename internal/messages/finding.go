package messages

import (
	"slices"

	"enlist/internal/enlist"
)

// This file has what is probably wrong with a Message: the kinds of findings, and merge fields that do not fit a List or a
// Contact. batches/check.go and package mail have the rest.

// MaxFindings is the largest number of findings of one kind.
const MaxFindings = 100

// Finding is something that is probably wrong with a Message or a Batch.
type Finding struct {
	Level    FindingLevel
	Code     FindingCode
	Text     string
	Contacts int64  // for FindingMissingValue: the number of recipients
	Block    string // where it is, such as 2 or 2.left.0; "": in the complete mail, or only a writer is told
}

// FindingLevel says how bad a Finding is.
type FindingLevel string

const (
	FindingError   FindingLevel = "error"
	FindingWarning FindingLevel = "warning"
	FindingNote    FindingLevel = "note"
)

// NoContent is the error of a Message without content. reference.md: batch.findings
func NoContent() Finding {
	return Finding{Level: FindingError, Code: FindingNoContent, Text: "the Message has no content"}
}

// FindingCode says for programs what is wrong.
type FindingCode string

const (
	FindingNoContent     FindingCode = "no_content"     // an error
	FindingSender        FindingCode = "sender_refused" // an error: the Account may not use the sender
	FindingUnknownField  FindingCode = "unknown_field"  // the List has no Field of a merge field
	FindingMissingValue  FindingCode = "missing_value"  // of a merge field without a fallback
	FindingDefaultSender FindingCode = "default_sender" // a note: the mails have the sender of the server
)

func (f *Finding) Rank() int {
	switch f.Level {
	case FindingError:
		return 0
	case FindingWarning:
		return 1
	}
	return 2
}

// UnknownFields returns the merge fields of a Message that are no values of the Contacts of a List.
func (m *Message) UnknownFields(schema *enlist.Schema) (names []string) {
	for _, part := range m.MergeFields() {
		if _, known := MergeValue(schema, new(enlist.Contact), part.Name); !known && len(names) < MaxFindings {
			names = append(names, part.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// UnknownField is the Finding for a merge field that is no value of the Contacts of a List.
func UnknownField(schema *enlist.Schema, name string) Finding {
	return Finding{Level: FindingWarning, Code: FindingUnknownField,
		Text: "the List " + enlist.Quoted(schema.List.Name) + " has no Field " + enlist.Quoted(name)}
}

// fieldFindings returns what is probably wrong with the merge fields in the mail of one Contact.
func fieldFindings(m *OutgoingMail) (all []Finding) {
	for _, name := range m.Message.UnknownFields(m.Schema) {
		all = append(all, UnknownField(m.Schema, name))
	}
	for _, part := range m.Message.MergeFields() {
		value, known := MergeValue(m.Schema, m.Contact, part.Name)
		if known && value == "" && part.Fallback == "" && len(all) < MaxFindings {
			all = append(all, Finding{Level: FindingWarning, Code: FindingMissingValue, Contacts: 1,
				Text: "the Contact has no value of " + enlist.Quoted(part.Name) +
					", and the merge field has no fallback"})
		}
	}
	return all
}
