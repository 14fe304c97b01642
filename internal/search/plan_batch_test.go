package search_test

import (
	"strings"
	"testing"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
)

// An Account can have very many Batches that have ended. Only searches read them: what addBatch and the jobs ask for is
// found by an index.
//
// covers: decision 102
func TestEndedBatchesAreNotRead(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, e dbtest.Engine) {
		l := openLarge(t, e)
		l.fillBatches(t)
		for _, c := range []struct {
			index  string
			filter batches.BatchFilter
		}{
			{"batch_status", batches.BatchFilter{Open: true}},
			{"batch_status", batches.BatchFilter{Open: true, Lists: []enlist.ListID{1}}},
			{"batch_message", batches.BatchFilter{Message: 7}},
			{"batch_variants", batches.BatchFilter{HasVariants: true}},
		} {
			var clauses string
			var args []any
			err := l.store.View(t.Context(), func(tx *db.Tx) (err error) {
				clauses, args, err = batches.BatchClauses(tx, 1, c.filter)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			plan := l.explain(t, db.Statement{Text: "SELECT reason FROM batch " + clauses, Args: args})
			if !strings.Contains(plan, c.index) {
				t.Errorf("%+v: the plan of %s does not use %s:\n%s", c.filter, clauses, c.index, plan)
			}
		}
	})
}

// fillBatches adds Batches that have ended, and some others.
func (l *large) fillBatches(t *testing.T) {
	t.Helper()
	l.update(t, func(tx *db.Tx) error {
		for i := range 3000 {
			b := batches.Batch{AccountID: 1, ListID: 1, MessageID: enlist.MessageID(1 + i%1000), Status: batches.BatchCompleted}
			if i%500 == 0 {
				b.Status = batches.BatchPaused
				b.Variants = &batches.Variants{}
			}
			if err := b.Insert(tx, nil); err != nil {
				return err
			}
		}
		return nil
	})
	l.analyze(t, "batch")
}
