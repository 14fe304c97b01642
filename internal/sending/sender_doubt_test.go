package sending_test

import (
	"slices"
	"testing"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/mailtest"
	"enlist/internal/recipients"
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
	if want := (recipients.Counts{Recipients: 4, Sent: 3, Doubtful: 1, Unmeasured: recipients.Unmeasured{Opens: 3, Clicks: 3}}); b.Counts != want {
		t.Errorf("the counts are %+v, want %+v", b.Counts, want)
	}
	if got := len(p.server.Messages()); got != 4 {
		t.Errorf("%d mails arrived, want 4: one for each recipient", got)
	}
}

// If the process died now, exactly the mails that the mail server has got would be in doubt.
//
// covers: spec batch.doubt, decision 59
func TestOnlyMailsThatAreHandedOverAreInDoubt(t *testing.T) {
	dbtest.EachParallel(t, onlyMailsThatAreHandedOverAreInDoubt)
}

func onlyMailsThatAreHandedOverAreInDoubt(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
	arrived, free := p.holdMails()
	p.startSender()
	id := p.addBatch(40, batches.BatchRequest{Options: batches.BatchOptions{Doubt: "skip"}})
	var reached []string
	for range 4 { // the connections of the sender
		reached = append(reached, <-arrived)
	}
	var doubtful []string
	p.must(p.store.View(t.Context(), func(tx *db.Tx) error {
		doubtful = nil
		slice := recipients.Slice{Batch: id, Number: 1, List: p.list, First: 1, Last: 1 << 40}
		all, err := slice.Due(tx, 1<<40)
		for i := range all {
			if all[i].Status == recipients.StatusSending {
				doubtful = append(doubtful, all[i].Address)
			}
		}
		return err
	}))
	slices.Sort(reached)
	slices.Sort(doubtful)
	if !slices.Equal(doubtful, reached) {
		t.Errorf("the mails in doubt are for %q; the mail server has those for %q", doubtful, reached)
	}
	close(free)
	p.untilStatus(id, batches.BatchCompleted)
}
