package feedback

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// This file has the provider Amazon SES. It publishes its events on a topic of Amazon SNS, which posts and signs them.

type ses struct{ topic *snsTopic }

func newSES(arn string) (provider, error) {
	topic, err := newTopic(arn)
	return &ses{topic}, err
}

// The header fields of a mail with the tag. The events of a configuration set repeat the first field as a tag of
// the message. The notifications of an identity have no tags, but can have the fields of the mail.
const (
	sesTags   = "X-SES-MESSAGE-TAGS"
	sesHeader = "X-Enlist-Delivery"
)

func (*ses) fields(tag string) string {
	return sesTags + ": " + variable + "=" + tag + "\r\n" + sesHeader + ": " + tag + "\r\n"
}

// sesEvent has the keys of an event that the service reads.
type sesEvent struct {
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

func (s *ses) read(ctx context.Context, _ http.Header, body []byte, now time.Time) ([]event, error) {
	m, err := s.topic.open(ctx, body, now)
	if err != nil {
		return nil, err
	}
	e := sesEvent{}
	switch {
	case m.Type == "SubscriptionConfirmation":
		return []event{{kind: ignored}}, s.topic.confirm(ctx, m)
	case m.Type != "Notification", decode([]byte(m.Message), &e) != nil: // SES checks a new topic with a text
		return []event{{kind: ignored}}, nil
	}
	kind, detail := e.kind()
	return []event{{kind, e.tag(), detail}}, nil
}

// kind returns what an event means, and its detail.
func (e *sesEvent) kind() (k kind, detail string) {
	switch e.EventType + e.NotificationType { // an event has only one of both
	case "Bounce":
		var status, text string
		for _, to := range e.Bounce.BouncedRecipients {
			status, text = to.Status, replyOf(to.DiagnosticCode)
		}
		if e.Bounce.BounceType == "Permanent" && blames(status, text) {
			return bounce, detailOf(status, text)
		}
	case "Complaint":
		feedback := strings.ToLower(e.Complaint.ComplaintFeedbackType)
		switch {
		case e.Complaint.ComplaintSubType != "":
			return bounce, "not delivered: the address is on the suppression list of SES"
		case feedback == "", feedback == "abuse", feedback == "fraud":
			return complaint, feedback
		}
	}
	return ignored, ""
}

// tag returns the tag of the delivery: from the tags of the message, the header of the mail, or the envelope sender,
// which has it with the setting bounce-address.
func (e *sesEvent) tag() string {
	for _, tag := range e.Mail.Tags.Enlist {
		return tag
	}
	for _, h := range e.Mail.Headers {
		if strings.EqualFold(h.Name, sesHeader) {
			return strings.TrimSpace(h.Value)
		}
	}
	_, tag, _ := strings.Cut(e.Mail.Source, "+")
	tag, _, _ = strings.Cut(tag, "@")
	return tag
}
