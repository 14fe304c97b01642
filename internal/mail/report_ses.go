package mail

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"enlist/internal/mail/reply"
)

// This file reads the events of Amazon SES. Package feedback gets them by HTTP, and ReadReport as mails of a topic of
// Amazon SNS.

// SESHeader is a header field with the tag of a mail. SES repeats it in the notifications of an identity.
const SESHeader = "X-Enlist-Delivery"

// SESEvent has the keys of an event that the service reads.
type SESEvent struct {
	EventType        string // of a configuration set
	NotificationType string // of an identity
	Bounce           struct {
		BounceType        string // Permanent, Transient or Undetermined
		BouncedRecipients []struct{ Status, DiagnosticCode string }
	}
	Complaint struct {
		ComplaintSubType      string // OnAccountSuppressionList: SES did not deliver the mail
		ComplaintFeedbackType string // RFC 5965; "" if the mailbox provider gives none
	}
	Mail struct {
		Source  string // envelope sender
		Headers []struct{ Name, Value string }
		Tags    struct{ Enlist []string }
	}
}

// Meaning returns what an event means, and its detail. NoReport changes nothing.
func (e *SESEvent) Meaning() (kind ReportKind, detail string) {
	switch e.EventType + e.NotificationType { // an event has only one of both
	case "Bounce":
		var status, text string
		for _, to := range e.Bounce.BouncedRecipients {
			status, text = to.Status, to.DiagnosticCode
		}
		switch {
		case e.Bounce.BounceType != "Permanent":
		case reply.Blames(status, text):
			return BounceReport, reply.Detail(status, text)
		default:
			return RefusalReport, reply.Detail(status, text)
		}
	case "Complaint":
		feedback := strings.ToLower(e.Complaint.ComplaintFeedbackType)
		switch {
		case e.Complaint.ComplaintSubType != "":
			return BounceReport, "not delivered: the address is on the suppression list of SES"
		case feedback == "", feedback == "abuse", feedback == "fraud":
			return ComplaintReport, feedback
		}
	}
	return NoReport, ""
}

// Tag returns the tag of the delivery: from the tags of the message, the header of the mail, or the envelope sender,
// which has it with the setting bounce-address.
func (e *SESEvent) Tag() string {
	for _, tag := range e.Mail.Tags.Enlist {
		return tag
	}
	for _, h := range e.Mail.Headers {
		if strings.EqualFold(h.Name, SESHeader) {
			return strings.TrimSpace(h.Value)
		}
	}
	_, tag, _ := strings.Cut(e.Mail.Source, "+")
	tag, _, _ = strings.Cut(tag, "@")
	return tag
}

// sesEvent reads a text part that is an event of SES. It returns false for any other text.
func (s *reportReader) sesEvent(text []byte) bool {
	if !bytes.HasPrefix(text, []byte("{")) {
		return false
	}
	text = bytes.ReplaceAll(text, []byte("!\n "), nil) // where Sendmail divides long lines
	var e struct {
		SESEvent
		Message string // the event, if the topic sends its mails as JSON
	}
	err := json.NewDecoder(bytes.NewReader(text)).Decode(&e)
	if err == nil && e.Message != "" {
		err = json.Unmarshal([]byte(e.Message), &e.SESEvent)
	}
	if _, other := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !other || e.EventType+e.NotificationType == "" {
		return false
	}
	s.isReport = true
	s.address("+" + e.Tag())
	switch kind, detail := e.Meaning(); kind {
	case RefusalReport:
		s.refused = cmp.Or(detail, "refused, as Amazon SES reports")
	case BounceReport:
		s.failed = cmp.Or(detail, "reported by Amazon SES")
	case ComplaintReport:
		s.complaint = cmp.Or(detail, "abuse")
	default:
		s.other = e.EventType + e.NotificationType + " of Amazon SES"
	}
	return true
}
