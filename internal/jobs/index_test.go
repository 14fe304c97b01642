package jobs_test

import (
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/search/advisor"
)

// The tests in this file build search indexes through the queue.

// scheduleMissingIndex runs searches that need an index, enqueues the build, and returns the index.
func (p *storeWithList) scheduleMissingIndex() advisor.Report {
	p.Helper()
	now := time.Now()
	clock := func() time.Time { now = now.Add(time.Second); return now } // each reading is a second later, so each search seems to take seconds
	slow := app.New(p.store, clock)
	rules := advisor.DefaultRules()
	rules.Contacts = contactsOfTest / 2
	indexes := advisor.New(p.store, clock, rules)
	slow.SetSearchObserver(indexes)
	active := enlist.Criteria{Key: "is_active", Operator: "exactly", Value: enlist.Input{Kind: enlist.InputTrue}}
	for range 2 {
		if n, err := slow.Contacts.CountContacts(p.Context(), p.caller, p.list, &active); err != nil || n != contactsOfTest {
			p.Fatalf("CountContacts returned %d, %v, want %d", n, err, contactsOfTest)
		}
	}
	p.must(indexes.ScheduleBuilds(p.Context()))
	return p.index()
}

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

func TestMissingIndexIsBuiltAndDroppedWithItsList(t *testing.T) {
	dbtest.EachParallel(t, missingIndexIsBuiltAndDroppedWithItsList)
}

func missingIndexIsBuiltAndDroppedWithItsList(t *testing.T, e dbtest.Engine) {
	p := newStoreWithList(t, e)
	p.addContacts(0)
	x := p.scheduleMissingIndex()
	_, done := p.startWorking(p.store, nil)
	p.waitForJob(done)
	x = p.index()
	if x.State != enlist.IndexReady || x.Missing {
		t.Errorf("the index is %+v, want it ready and not missing", x)
	}
	p.must(p.service.Contacts.DeleteList(t.Context(), p.caller, p.list))
	p.waitForJob(done)
	p.waitForJob(done)
	if built, err := p.store.BuiltIndexes(t.Context()); err != nil || len(built) > 0 {
		t.Errorf("after the List was deleted, the database has the indexes %+v, %v, want none", built, err)
	}
}

// The test kills a process while it builds an index. Within minutes another process finds the
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
	x := p.scheduleMissingIndex()
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
	x = p.index()
	if x.State != enlist.IndexBuilding {
		t.Errorf("the index is %+v, want the state building", x)
	}

	// PostgreSQL may notice late that its client has disconnected. Until then it still builds the
	// index, and other processes do not build or drop this index.
	_, done := p.startWorking(p.store, nil)
	for now := time.Now(); p.index().State != enlist.IndexReady; {
		now = now.Add(6 * time.Minute)
		p.must(advisor.New(p.store, func() time.Time { return now }, advisor.DefaultRules()).Reconcile(t.Context()))
		p.waitForJob(done)
	}
	x = p.index()
	if x.Missing {
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
