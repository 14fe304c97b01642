package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/pgtest"
	"enlist/internal/enlist"
)

// The tests in this file show what happens to transactions when connections are lost, when
// transactions deadlock, when a server is silent or slow, and when no connection is free.

// When the connection is lost in the middle of a transaction, the store runs the function
// again. Its changes are stored only once.
func TestLostConnectionBeforeCommitRunsTheFunctionAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("provokes what happens seldom: run it with \"make check\"")
	}
	d := newListFixture(t, open(t))
	cuts := 0
	cut := func() {
		if cuts++; cuts%2 == 1 {
			_, err := d.store.jobs.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
			d.must(err)
		}
	}
	for i := range 3 {
		d.must(d.store.Update(t.Context(), func(tx *db.Tx) error {
			if _, err := d.insert(tx, fmt.Sprintf("a%d@example.com", i)); err != nil {
				return err
			}
			cut()
			_, err := contacts.LastContactID(tx, d.list)
			return err
		}))
	}
	if cuts != 6 {
		t.Errorf("the functions ran %d times in total, want 6", cuts)
	}
	d.must(d.store.View(t.Context(), func(tx *db.Tx) error {
		cut()
		_, err := contacts.LastContactID(tx, d.list)
		return err
	}))
	d.wantCount(3)
}

// When the connection is lost after COMMIT was sent, it is unknown whether the change is
// stored. Update must return an error, and the function must not run again.
func TestLostConnectionAtCommitIsAnErrorWithoutRetry(t *testing.T) {
	if testing.Short() {
		t.Skip("provokes what happens seldom: run it with \"make check\"")
	}
	url := database(t)
	p := pgtest.NewProxy(t, url)
	d := newListFixture(t, openAt(t, url, Options{}))
	through := openAt(t, p.URL(url), Options{Writers: 1})
	// This call prepares the statements, so the second call need not prepare them.
	d.must(through.Update(t.Context(), func(tx *db.Tx) error { _, err := d.insert(tx, "first@example.com"); return err }))
	runs := 0
	err := through.Update(t.Context(), func(tx *db.Tx) error {
		runs++
		_, err := d.insert(tx, "a@example.com")
		p.CutCommits(func() pgtest.Cut { return pgtest.CutAfter })
		return err
	})
	p.CutCommits(func() pgtest.Cut { return pgtest.NoCut })
	if err == nil || runs != 1 || enlist.KindOf(err) != enlist.Internal {
		t.Errorf("the function ran %d times, want 1; error %v, want Internal", runs, err)
	}
	if err := through.Update(t.Context(), func(tx *db.Tx) error { _, err := d.insert(tx, "b@example.com"); return err }); err != nil {
		t.Error(err)
	}
}

// Two transactions wait for each other's Contact. PostgreSQL cancels one of the
// transactions. Its function runs again, and the changes of both are stored.
func TestDeadlockedTransactionsAreBothStored(t *testing.T) {
	if testing.Short() {
		t.Skip("provokes what happens seldom: run it with \"make check\"")
	}
	d := newListFixture(t, open(t))
	var ids [2]enlist.ContactID
	d.must(d.store.Update(t.Context(), func(tx *db.Tx) (err error) {
		for i := range ids {
			ids[i], err = d.insert(tx, fmt.Sprintf("a%d@example.com", i))
			if err != nil {
				return err
			}
		}
		return nil
	}))
	var runs atomic.Int64
	var meet, all sync.WaitGroup
	meet.Add(2)
	for i := range 2 {
		first := true
		all.Go(func() {
			err := d.store.Update(t.Context(), func(tx *db.Tx) error {
				runs.Add(1)
				for _, j := range []int{i, 1 - i} {
					c, err := contacts.ByID(tx, d.list, ids[j])
					if err != nil {
						return err
					}
					if first {
						first = false
						meet.Done()
						meet.Wait()
					}
					c.LastOpenTime++
					if err := contacts.Update(tx, c); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if runs.Load() < 3 { // more than 3 if the second attempt also deadlocks with the other transaction
		t.Errorf("the functions ran %d times in total, want at least 3", runs.Load())
	}
	d.must(d.store.View(t.Context(), func(tx *db.Tx) error {
		for _, id := range ids {
			if c, err := contacts.ByID(tx, d.list, id); err != nil || c.LastOpenTime != 2 {
				t.Errorf("Contact %+v, error %v; want LastOpenTime 2", c, err)
			}
		}
		return nil
	}))
}

// PostgreSQL refuses the first two attempts with a serialisation failure. The third
// attempt succeeds.
func TestSerialisationFailureIsRetried(t *testing.T) {
	d := newListFixture(t, open(t))
	_, err := d.store.jobs.Exec(t.Context(), `CREATE SEQUENCE failures;
		CREATE FUNCTION fail_twice() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			IF nextval('failures') < 3 THEN RAISE EXCEPTION 'twice' USING ERRCODE = '40001'; END IF;
			RETURN NEW;
		END $$;
		CREATE TRIGGER fails BEFORE INSERT ON consent FOR EACH ROW EXECUTE FUNCTION fail_twice()`)
	d.must(err)
	_, err = d.subscribe(t.Context(), "a@example.com", "")
	d.must(err)
	d.wantCount(1)
	_, err = d.store.jobs.Exec(t.Context(), "DROP FUNCTION fail_twice CASCADE; DROP SEQUENCE failures")
	d.must(err)
}

// Attempts during an outage are not counted. So after an outage, retry still repeats a
// function that returns errStale (the function read old definitions) or errNeedsLock (the function
// needs the exclusive lock).
func TestRetryCountsNoAttemptsDuringAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		outcomes := append(slices.Repeat([]error{&connectFailed{io.EOF}}, maxAttempts), errStale, errNeedsLock, nil)
		err := retry(ctx, func() (again bool, err error) {
			err, outcomes = outcomes[0], outcomes[1:]
			return err != nil, err
		})
		if err != nil || len(outcomes) > 0 {
			t.Errorf("error %v after all attempts, and %d outcomes are unused; want no error and 0", err, len(outcomes))
		}
	})
}

// A statement that was prepared before the type of a column changed is prepared again.
func TestStatementIsPreparedAgainAfterColumnTypeChange(t *testing.T) {
	d := newListFixture(t, open(t))
	for _, kind := range []string{"BIGINT", "INT", "BIGINT"} {
		_, err := d.store.jobs.Exec(t.Context(), "ALTER TABLE contact ALTER COLUMN webform_id TYPE "+kind)
		d.must(err)
		for range 2 { // the second call finds the Contact and changes it
			id, err := d.subscribe(t.Context(), "a@example.com", "")
			d.must(err)
			d.must(d.store.View(t.Context(), func(tx *db.Tx) error { _, err := contacts.ByID(tx, d.list, id); return err }))
		}
	}
	d.wantCount(1)
}

// If there are more callers than connections, the callers wait, and all calls succeed. A
// caller whose context has ended gets an error.
func TestCallersWaitForAFreeConnection(t *testing.T) {
	d := newListFixture(t, openAt(t, database(t), Options{Writers: 2, Readers: 2}))
	var all sync.WaitGroup
	const callers, each = 64, 5
	for i := range callers {
		all.Go(func() {
			for j := range each {
				if _, err := d.subscribe(t.Context(), fmt.Sprintf("a%d.%d@example.com", i, j), ""); err != nil {
					t.Error(err)
				}
				if _, err := d.service.Lists.List(t.Context(), d.caller, d.list); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	d.wantCount(callers * each)
	release, inside := make(chan struct{}), sync.WaitGroup{}
	for range 2 {
		inside.Add(1)
		all.Go(func() {
			d.store.Update(t.Context(), func(*db.Tx) error { inside.Done(); <-release; return nil })
		})
	}
	inside.Wait()
	gone, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := d.subscribe(gone, "gone@example.com", ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller whose context has ended: error %v, want DeadlineExceeded", err)
	}
	close(release)
	all.Wait()
	d.wantCount(callers * each)
}

// The server no longer answers, neither on open connections nor on new ones. Reads and writes must return an
// error. The callers set no time limit, so only the limit of the store can end the calls.
func TestCallsFailInTimeIfTheServerIsSilent(t *testing.T) {
	if testing.Short() {
		t.Skip(`slow on PostgreSQL: run it with "make check"`)
	}
	url := database(t)
	p := pgtest.NewProxy(t, url)
	d := newListFixture(t, openAt(t, url, Options{}))
	s := openAt(t, p.URL(url), Options{Writers: 1, Readers: 1, UpdateTime: 300 * time.Millisecond})
	look := func(tx *db.Tx) error { _, err := contacts.LastContactID(tx, d.list); return err }
	// The time limit is so short that a call may exceed it on a busy machine.
	works := func() bool {
		return errors.Join(s.Ready(t.Context()), s.Update(t.Context(), look), s.View(t.Context(), look), s.Search(t.Context(), look)) == nil
	}
	waitFor(t, works)
	p.FallSilent()
	for range 2 { // in the second round no connection is open
		for _, call := range []struct {
			name string
			run  func(context.Context, func(*db.Tx) error) error
		}{{"Update", func(ctx context.Context, fn func(*db.Tx) error) error { return s.Update(ctx, fn) }}, {"View", s.View}, {"Search", s.Search}, {"Stream", s.Stream}} {
			if err := call.run(t.Context(), look); err == nil {
				t.Errorf("%s returned no error although the server does not answer", call.name)
			}
		}
	}
	if err := s.Ready(t.Context()); err == nil {
		t.Error("Ready returned no error although the server does not answer")
	}
	p.Talk()
	waitFor(t, works)
}

// Ready has a limit of its own, far below that of an Update: a load balancer must notice soon that the server is silent.
func TestReadySoonNoticesASilentServer(t *testing.T) {
	url := database(t)
	p := pgtest.NewProxy(t, url)
	s := openAt(t, p.URL(url), Options{Writers: 1, Readers: 1})
	p.FallSilent()
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second) // an Update has 10
	defer cancel()
	if err := s.Ready(ctx); err == nil || ctx.Err() != nil {
		t.Errorf("Ready returned %v, and its caller's time ended: %v", err, ctx.Err())
	}
	p.Talk()
	waitFor(t, func() bool { return s.Ready(t.Context()) == nil })
}

// Every call succeeds although each round trip takes 100 ms.
func TestSlowServerServesEveryCall(t *testing.T) {
	if testing.Short() {
		t.Skip("provokes what happens seldom: run it with \"make check\"")
	}
	url := database(t)
	p := pgtest.NewProxy(t, url)
	d := newListFixture(t, openAt(t, p.URL(url), Options{Writers: 4}))
	p.Delay(50 * time.Millisecond)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if _, err := d.subscribe(t.Context(), fmt.Sprintf("a%d@example.com", i), ""); err != nil {
				t.Error(err)
			}
			if _, err := d.service.Lists.List(t.Context(), d.caller, d.list); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	_, err := d.service.Lists.AddField(t.Context(), d.caller, d.list, []enlist.Detail{detail("name", "Age"), detail("type", "decimal")})
	d.must(err)
	d.must(d.store.Ready(t.Context()))
	d.wantCount(8)
}

// The counts of Contacts are exact after compaction, even if callers subscribe during the
// compaction.
func TestCompactingKeepsCountsExact(t *testing.T) {
	d := newListFixture(t, open(t))
	stop := make(chan struct{})
	var compacting, all sync.WaitGroup
	compacting.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if err := d.store.compactCounters(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}
	})
	const callers, each = 8, 25
	for i := range callers {
		all.Go(func() {
			for j := range each {
				if _, err := d.subscribe(t.Context(), fmt.Sprintf("a%d.%d@example.com", i, j), ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	close(stop)
	compacting.Wait()
	d.wantCount(callers * each)
	var rows int
	d.must(d.store.compactCounters(t.Context()))
	d.must(d.store.jobs.QueryRow(t.Context(), "SELECT count(*) FROM contact_delta").Scan(&rows))
	if problems, err := d.store.Check(t.Context()); rows != 0 || err != nil {
		t.Errorf("contact_delta has %d rows, want 0; problems %v, error %v", rows, problems, err)
	}
	var added, parts int
	d.must(d.store.jobs.QueryRow(t.Context(), "SELECT sum(added), (SELECT count(*) FROM list_day_part) FROM list_day").Scan(&added, &parts))
	if added != callers*each || parts != 0 {
		t.Errorf("the days count %d Contacts and %d parts, want %d and none", added, parts, callers*each)
	}
	d.wantCount(callers * each)
}
