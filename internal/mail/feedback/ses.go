package feedback

import (
	"context"
	"net/http"
	"time"

	"enlist/internal/mail"
)

// This file has the provider Amazon SES. It publishes its events on a topic of Amazon SNS, which posts and signs them.

func newSES(arn string) (reader, error) {
	topic, err := newTopic(arn)
	return topic.events, err
}

// sesTags is the header field with the tag that the events of a configuration set repeat as a tag of the message. The
// notifications of an identity have no tags, but can have the fields of the mail.
const sesTags = "X-SES-MESSAGE-TAGS"

func sesFields(tag string) string {
	return sesTags + ": " + variable + "=" + tag + "\r\n" + mail.SESHeader + ": " + tag + "\r\n"
}

func (t *snsTopic) events(ctx context.Context, _ http.Header, body []byte, now time.Time) ([]event, error) {
	m, err := t.open(ctx, body, now)
	if err != nil {
		return nil, err
	}
	e := mail.SESEvent{}
	switch {
	case m.Type == "SubscriptionConfirmation":
		return []event{{kind: ignored}}, t.confirm(ctx, m)
	case m.Type != "Notification", decode([]byte(m.Message), &e) != nil: // SES checks a new topic with a text
		return []event{{kind: ignored}}, nil
	}
	what, detail := e.Meaning()
	if what == mail.NoReport {
		return []event{{kind: ignored}}, nil
	}
	return []event{{kind(what), e.Tag(), detail}}, nil
}
