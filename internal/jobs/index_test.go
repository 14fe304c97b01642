package jobs_test

import (
	"testing"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/search"
	"enlist/internal/search/advisor"
)

// This file tests the indexes of searches after a crash.

// index returns the only index in the database.
func (p *storeWithList) index() advisor.Report {
	p.Helper()
	all, err := newAdvisor(p.store).Reports(p.Context())
	p.must(err)
	if len(all) != 1 {
		p.Fatalf("the indexes are %+v, want one", all)
	}
	return all[0]
}

// The test kills a process while it builds an index. Within seconds another process finds the
// unfinished index and builds it.
func TestIndexOfAKilledProcessIsBuiltByAnother(t *testing.T) {
	dbtest.EachParallel(t, indexOfAKilledProcessIsBuiltByAnother)
}

func indexOfAKilledProcessIsBuiltByAnother(t *testing.T, e dbtest.Engine) {
	if testing.Short() {
		t.Skip("this test kills processes: run it with \"make faults\"")
	}
	p := newStoreOfProcesses(t, e)
	p.addContacts(0)
	p.must(p.store.Update(t.Context(), func(tx *db.Tx) error {
		_, err := search.AddIndex(tx, &enlist.SearchIndex{ListID: p.list, Key: "is_active", State: enlist.IndexWaiting})
		return err
	}))
	reading, read := make(chan struct{}), make(chan struct{})
	reader := make(chan error)
	go func() { // a build on PostgreSQL waits for this transaction
		reader <- p.store.Stream(t.Context(), func(tx *db.Tx) error {
			_, err := tx.ContactCount(p.list)
			close(reading)
			<-read
			return err
		})
	}()
	<-reading
	p.killAt(inBuild, func() {
		if !isFile(p.store.Address()) {
			p.awaitIndex(func(b enlist.BuiltIndex) bool { return !b.Good })
		}
	})
	close(read)
	p.must(<-reader)
	if x := p.index(); x.State == enlist.IndexReady {
		t.Errorf("the index is %+v, want it not ready", x)
	}

	// PostgreSQL may notice late that its client has disconnected. Until then it still builds the
	// index, and other processes do not build or drop this index.
	for p.index().State != enlist.IndexReady {
		p.must(newAdvisor(p.store).Tend(t.Context()))
	}
	if x := p.index(); x.Missing {
		t.Errorf("the index is %+v, want it not missing", x)
	}
}

// awaitIndex waits until the database has exactly one index, and condition returns true for this
// index.
func (p *storeWithList) awaitIndex(condition func(enlist.BuiltIndex) bool) {
	p.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		built, err := p.store.BuiltIndexes(p.Context())
		p.must(err)
		if len(built) == 1 && condition(built[0]) {
			return
		}
		if time.Now().After(deadline) {
			p.Fatalf("after a minute the database has the indexes %+v, want one that meets the condition", built)
		}
	}
}
