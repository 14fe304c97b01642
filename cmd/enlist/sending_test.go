package main

import (
	"testing"

	"enlist/internal/config"
)

func TestRatesOfBatchesUseTheAddressOfTheSender(t *testing.T) {
	for from, want := range map[string]string{
		"News <news@example.com>": "news@example.com", "news@example.com": "news@example.com", "": placeholderSender,
	} {
		s, err := sendingOf(config.Serve{MailFrom: from})
		if err != nil || s.From != want {
			t.Errorf("--mail-from %q: the sender is %q, error %v, want %q", from, s.From, err, want)
		}
	}
}
