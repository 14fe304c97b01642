package mail

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/mail/mailtest"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// The tests in this file send mails to a real mail server, OpenSMTPD.

// openSMTPDTimeout is the time limit of each test. If the server never replies, the test fails
// and does not wait for ever. The limit is long, because the sender can wait for more than a
// minute after each of two kills: up to 40 s for a reply, then up to 30 s until its next attempt.
const openSMTPDTimeout = 5 * time.Minute

// senderTo returns a sender that hands mails over to the server.
func senderTo(t *testing.T, m *mailtest.Relay, transport Transport) sender {
	t.Helper()
	transport.SMTP, transport.Log = m.URL(), slog.New(slog.DiscardHandler)
	s, _, err := newSender(transport)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.close() })
	return s
}

// The test kills OpenSMTPD and starts it again while messages are sent. Every message must arrive.
// A message that is sent again must have the same Message-ID.
//
// covers: decision 50
func TestOpenSMTPDReceivesEachMessageDespiteKills(t *testing.T) {
	const total = 200
	m := mailtest.StartOpenSMTPD(t, mailtest.Start(t, mailtest.Options{}))
	s := senderTo(t, m, Transport{})
	ctx, cancel := context.WithTimeout(t.Context(), openSMTPDTimeout)
	defer cancel()

	var wg sync.WaitGroup
	numbers := make(chan int)
	for range 8 {
		wg.Go(func() {
			for n := range numbers {
				sendUntilAccepted(ctx, t, s, testMessage(t, n, "ann@"+m.Domain))
			}
		})
	}
	for n := range total {
		if n == total/4 || n == total/2 {
			m.Kill()
			m.Start()
		}
		numbers <- n
	}
	close(numbers)
	wg.Wait()

	m.Until("all messages have arrived", 3*time.Minute, func() bool { return len(ids(m.Arrived())) == total })
	twice := 0
	for id, n := range ids(m.Arrived()) {
		if !strings.HasSuffix(id, "@example.org") {
			t.Errorf("a message with the Message-ID %q arrived, which the test did not send", id)
		}
		twice += n - 1
	}
	t.Logf("%d messages arrived, and %d of them arrived again", total, twice)
}

// sendUntilAccepted sends a message. After a temporary failure it sends the message again, as the
// queue does, but without a delay.
func sendUntilAccepted(ctx context.Context, t *testing.T, s sender, message *composed) {
	for {
		err := s.send(ctx, message, nil)
		u, ok := errors.AsType[*messages.Undelivered](err)
		switch {
		case err == nil:
			return
		case ctx.Err() != nil, ok && u.Permanent, !ok && !errors.Is(err, sending.ErrSendingPaused):
			t.Errorf("a message failed with %v, want success or a temporary failure", err)
			return
		}
	}
}
