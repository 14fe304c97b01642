package batches_test

import (
	"testing"

	"enlist/internal/batches"
)

func TestReasonOfABounce(t *testing.T) {
	for detail, want := range map[string]batches.BounceReason{
		"the mail server answered 550 5.1.1 no such user": batches.ReasonUnknownAddress,
		"smtp; 550 5.1.2 bad domain":                      batches.ReasonUnreachable,
		"550 5.1.10 RecipientNotFound":                    batches.ReasonUnknownAddress,
		"5.2.1 disabled":                                  batches.ReasonDisabled,
		"552 5.2.2 over quota":                            batches.ReasonFull,
		"5.3.4 message too big":                           batches.ReasonContent,
		"4.4.1 no answer":                                 batches.ReasonUnreachable,
		"5.6.0 malformed":                                 batches.ReasonContent,
		"421 4.7.0 try again later":                       batches.ReasonPolicy,
		"5.5.0 unknown":                                   batches.ReasonOther, // the code counts, not the words
		"550 Rejected as SPAM":                            batches.ReasonPolicy,
		"550 mailbox unavailable":                         batches.ReasonUnknownAddress,
		"552 mailbox is full":                             batches.ReasonFull,
		"dial tcp: connection refused":                    batches.ReasonUnreachable,
		"":                                                batches.ReasonOther,
	} {
		if got := batches.ReasonOf(detail); got != want {
			t.Errorf("%q has the reason %s, want %s", detail, got, want)
		}
	}
}
