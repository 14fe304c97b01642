package feedback

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// This file has what all providers share.

// provider knows the mails and events of one email provider.
type provider struct {
	// fields returns the header fields that the provider repeats in its events. Each line ends with CR LF.
	fields func(tag string) string
	// reader returns the reader of requests. key is what they are checked with.
	reader func(key string) (reader, error)
}

// reader checks that the provider has sent a request, and returns the events of its body. If the request is not from the
// provider, the error is errForged. If its body cannot be read, it is errUnreadable. After any other error the provider
// must send the request again.
type reader func(ctx context.Context, header http.Header, body []byte, now time.Time) ([]event, error)

var providers = map[string]provider{"mailgun": {mailgunFields, newMailgun}, "postmark": {postmarkFields, newPostmark},
	"sendgrid": {sendGridFields, newSendGrid}, "ses": {sesFields, newSES}}

type kind string

// The kinds of events. An ignored event changes nothing: the provider tries again, has delivered the mail, or reports
// something that does not concern the subscription.
const (
	ignored     kind = "ignored"
	bounce      kind = "bounce"
	refusal     kind = "refusal" // the mail failed, and nothing is held against the address
	complaint   kind = "complaint"
	unsubscribe kind = "unsubscribe"
)

type event struct {
	kind   kind
	tag    string // the delivery's tag as the provider repeats it; "" if the event has none
	detail string // the reply of the recipient's mail server, or the provider's reason
}

var (
	errForged     = errors.New("the request is not from the provider: its signature, topic or time is wrong")
	errUnreadable = errors.New("the body is not what the provider documents")
)

// variable is the name under which a provider stores the tag of a delivery.
const variable = "enlist"

func newReader(name, key string) (reader, error) {
	if p, ok := providers[name]; ok {
		return p.reader(key)
	}
	return nil, fmt.Errorf("the service does not know the provider %q: choose one of %s", name,
		strings.Join(slices.Sorted(maps.Keys(providers)), ", "))
}

// CheckKey returns an error if the service does not know the provider, or if the key does not fit it.
func CheckKey(name, key string) error {
	_, err := newReader(name, key)
	return err
}

// HeaderFields returns the function that makes the header fields of a mail from the tag of its delivery. Each line ends
// with CR LF. It returns nil for a name that is no provider.
func HeaderFields(name string) func(tag string) string { return providers[name].fields }

// maxAge is the greatest difference between the signed time of a request and now. The providers repeat a request for up
// to 24 hours, so a shorter time would lose events after an outage. An event that is replayed changes nothing anyway.
const maxAge = 25 * time.Hour

func isFresh(sent, now time.Time) bool { return now.Sub(sent).Abs() <= maxAge }

// decode reads JSON. A value of another type than v has is left out, because a provider may change the values that the
// service does not need. The error is errUnreadable.
func decode(body []byte, v any) error {
	err := json.Unmarshal(body, v)
	if _, other := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !other {
		return errUnreadable
	}
	return nil
}
