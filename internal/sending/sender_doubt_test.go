package sending_test

import (
	"slices"
	"testing"

	"enlist/internal/batches"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/mailtest"
)

// A mail server that closes the connection after the text of a mail may have accepted the mail. A
// Batch with doubt skip does not send this mail again.
//
// covers: spec batch.doubt
func TestDoubtfulMailIsNotSentAgain(t *testing.T) {
	dbtest.EachParallel(t, doubtfulMailIsNotSentAgain)
}

func doubtfulMailIsNotSentAgain(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
	p.server.Script(func(s mailtest.Step) mailtest.Action {
		if s.Stage == mailtest.End && slices.Contains(s.To, "a1@example.com") {
			return mailtest.Drop()
		}
		return mailtest.Action{}
	})
	p.startSender()
	id := p.addBatch(4, batches.BatchRequest{Options: batches.BatchOptions{Doubt: "skip"}})
	b := p.untilStatus(id, batches.BatchCompleted)
	if want := (batches.BatchCounts{Recipients: 4, Sent: 3, Doubtful: 1}); b.BatchCounts != want {
		t.Errorf("the counts are %+v, want %+v", b.BatchCounts, want)
	}
	if got := len(p.server.Messages()); got != 4 {
		t.Errorf("%d mails arrived, want 4: one for each recipient", got)
	}
}
