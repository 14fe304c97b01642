package recipients_test

import (
	"testing"

	"enlist/internal/recipients"
)

func TestReasonOfABounce(t *testing.T) {
	for detail, want := range map[string]recipients.BounceReason{
		"the mail server answered 550 5.1.1 no such user": recipients.ReasonUnknownAddress,
		"smtp; 550 5.1.2 bad domain":                      recipients.ReasonUnreachable,
		"550 5.1.10 RecipientNotFound":                    recipients.ReasonUnknownAddress,
		"5.2.1 disabled":                                  recipients.ReasonDisabled,
		"552 5.2.2 over quota":                            recipients.ReasonFull,
		"5.3.4 message too big":                           recipients.ReasonContent,
		"4.4.1 no answer":                                 recipients.ReasonUnreachable,
		"5.6.0 malformed":                                 recipients.ReasonContent,
		"421 4.7.0 try again later":                       "try_later",
		"5.5.0 unknown":                                   recipients.ReasonOther, // the code counts, not the words
		"550 Rejected as SPAM":                            "spam",
		"550 5.7.1 Denied by policy":                      recipients.ReasonPolicy,
		"the mail server answered 550 5.7.515 Access denied, sending domain example.com does not meet the required " +
			"authentication level": "authentication",
		"550 mailbox unavailable":      recipients.ReasonUnknownAddress,
		"552 mailbox is full":          recipients.ReasonFull,
		"dial tcp: connection refused": recipients.ReasonUnreachable,
		"":                             recipients.ReasonOther,
	} {
		if got := recipients.ReasonOf(detail); got != want {
			t.Errorf("%q has the reason %s, want %s", detail, got, want)
		}
	}
}
