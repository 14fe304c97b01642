package messages

const MaxFindings = 100

// Finding is something that is probably wrong with a Message or a Batch.
type Finding struct {
	Level    FindingLevel
	Code     FindingCode
	Text     string
	Contacts int64 // for FindingMissingValue: the number of recipients
}

// FindingLevel says how bad a Finding is.
type FindingLevel string

const FindingError FindingLevel = "error"

const FindingWarning FindingLevel = "warning"

const FindingNote FindingLevel = "note"

// NoContent is the error of a Message without content. reference.md: batch.findings
func NoContent() Finding {
	return Finding{Level: FindingError, Code: FindingNoContent, Text: "the Message has no content"}
}

// FindingCode says for programs what is wrong.
type FindingCode string

const FindingNoContent FindingCode = "no_content" // an error

const FindingSender FindingCode = "sender_refused" // an error: the Account may not use the sender

const FindingUnknownField FindingCode = "unknown_field" // the List has no Field of a merge field

const FindingMissingValue FindingCode = "missing_value" // of a merge field without a fallback

const FindingDefaultSender FindingCode = "default_sender" // a note: the mails have the sender of the server

func (f *Finding) Rank() int {
	switch f.Level {
	case FindingError:
		return 0
	case FindingWarning:
		return 1
	}
	return 2
}
