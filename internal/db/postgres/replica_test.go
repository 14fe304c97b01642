package postgres

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/pgtest"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
)

// The tests in this file read from a real streaming standby. The tests use a standby that is
// up to date, late, stopped, or in conflict with a search, and one of another cluster.

// replicaFixture is a listFixture. Its store has a replica.
type replicaFixture struct {
	*listFixture
	primary, standby *pgtest.Server
	log              *lines
}

// newReplicaFixture starts a primary and a standby.
func newReplicaFixture(t *testing.T) *replicaFixture {
	t.Helper()
	f := &replicaFixture{primary: server(t), log: new(lines)}
	var err error
	f.standby, err = f.primary.StartStandby()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.standby.Remove)
	if err := f.primary.Set("synchronous_standby_names", "''"); err != nil { // replication is asynchronous, as in most installations
		t.Fatal(err)
	}
	f.listFixture = newListFixture(t, f.open(t, 0, f.standby.URL("postgres")))
	return f
}

func (f *replicaFixture) open(t *testing.T, lag time.Duration, replicas ...string) *Store {
	t.Helper()
	return openAt(t, f.primary.URL("postgres"), Options{Replicas: replicas, ReplicaLag: lag, Log: slog.New(slog.NewTextHandler(f.log, nil))})
}

// lines is a log writer that stores the text in memory.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// take returns the text that was written since the previous call of take.
func (l *lines) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

// wantWarning checks that exactly one warning was logged since the previous call of take.
func (f *replicaFixture) wantWarning(about string) {
	f.Helper()
	f.isWarning(f.log.take(), about)
}

func (f *replicaFixture) isWarning(got, about string) {
	f.Helper()
	if strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, about) {
		f.Errorf("logged %q, want one warning about %q", got, about)
	}
}

// count counts the Contacts in a Search and reports whether a replica served the Search.
func (f *replicaFixture) count(s *Store) (n int64, byReplica bool) {
	f.Helper()
	before := s.searches.pool.Stat().AcquireCount()
	f.must(s.Search(f.Context(), func(tx *db.Tx) (err error) {
		n, err = search.Count(tx, &enlist.Search{Schema: f.schema})
		return err
	}))
	return n, s.searches.pool.Stat().AcquireCount() == before
}

// wantReplica waits until a replica serves searches.
func (f *replicaFixture) wantReplica() {
	f.Helper()
	waitFor(f.T, func() bool { _, byReplica := f.count(f.store); return byReplica })
	f.log.take()
}

// A search on any server finds every change that was confirmed before the search began.
//
// covers: spec search.replica
func TestReplicaShowsEveryAnsweredChange(t *testing.T) {
	f := newReplicaFixture(t)
	for _, test := range []struct {
		name string
		run  func(*replicaFixture, *testing.T)
	}{
		{"a replica that is up to date serves searches", (*replicaFixture).inTime},
		{"a replica that is late serves no searches", (*replicaFixture).behind},
		{"a replica within the allowed lag serves searches", (*replicaFixture).allowed},
		{"a search that a replica cancels runs again on the primary", (*replicaFixture).inTheWay},
		{"the primary serves searches while the replica is stopped", (*replicaFixture).away},
		{"a server that is not a standby of the database serves no searches", (*replicaFixture).another},
	} {
		t.Run(test.name, func(t *testing.T) {
			one := *f.listFixture
			one.T = t
			test.run(&replicaFixture{&one, f.primary, f.standby, f.log}, t)
		})
	}
}

func (f *replicaFixture) inTime(t *testing.T) {
	f.wantReplica()
	served := 0
	for i := range 50 {
		_, err := f.subscribe(t.Context(), fmt.Sprintf("a%d@example.com", i), "")
		f.must(err)
		n, byReplica := f.count(f.store)
		if n != int64(i)+1 {
			t.Fatalf("the search found %d Contacts, want %d", n, i+1)
		}
		if byReplica {
			served++
		}
	}
	if served == 0 {
		t.Error("the replica served no search, want at least one")
	}
	before := f.store.searches.pool.Stat().AcquireCount() + f.store.streams.pool.Stat().AcquireCount()
	f.must(f.store.ViewPrimary(t.Context(), func(tx *db.Tx) error { _, err := tx.ContactCount(f.list); return err }))
	if f.store.searches.pool.Stat().AcquireCount()+f.store.streams.pool.Stat().AcquireCount() == before {
		t.Error("a replica served ViewPrimary, want the primary")
	}
}

// pause stops the replay of the log on the replica until the test ends.
func (f *replicaFixture) pause(t *testing.T) {
	f.wantReplica()
	f.must(f.standby.Await("SELECT pg_wal_replay_pause() IS NOT NULL"))
	f.must(f.standby.Await("SELECT pg_get_wal_replay_pause_state() = 'paused'"))
	t.Cleanup(func() { f.must(f.standby.Await("SELECT pg_wal_replay_resume() IS NOT NULL")) })
}

func (f *replicaFixture) behind(t *testing.T) {
	f.pause(t)
	before, _ := f.count(f.store)
	_, err := f.subscribe(t.Context(), "behind@example.com", "")
	f.must(err)
	for range 3 {
		if n, byReplica := f.count(f.store); n != before+1 || byReplica {
			t.Errorf("the search found %d Contacts, want %d; served by a replica: %t, want false", n, before+1, byReplica)
		}
	}
	f.wantWarning("it has not replayed in time")
}

func (f *replicaFixture) allowed(t *testing.T) {
	lenient := f.open(t, time.Hour, f.standby.URL("postgres"))
	f.pause(t)
	before, _ := f.count(lenient)
	_, err := f.subscribe(t.Context(), "allowed@example.com", "")
	f.must(err)
	if n, byReplica := f.count(lenient); n != before || !byReplica {
		t.Errorf("the search found %d Contacts, want the old number %d; served by a replica: %t, want true", n, before, byReplica)
	}
	if n, byReplica := f.count(f.open(t, time.Nanosecond, f.standby.URL("postgres"))); n != before+1 || byReplica {
		t.Errorf("the search found %d Contacts, want %d; served by a replica: %t, want false", n, before+1, byReplica)
	}
	// Even if older data is allowed, a search uses the newest definitions.
	made, err := f.service.Lists.AddList(t.Context(), f.caller, []enlist.Detail{detail("name", "New")})
	f.must(err)
	f.must(lenient.Search(t.Context(), func(tx *db.Tx) error { _, err := lists.Schema(tx, made); return err }))
}

// The replay of the log needs a lock on a table that a search reads. The standby cancels
// the search, and the search runs again on the primary.
func (f *replicaFixture) inTheWay(t *testing.T) {
	f.wantReplica()
	f.must(f.standby.Set("max_standby_streaming_delay", "'0'"))
	runs := 0
	f.must(f.store.Search(t.Context(), func(tx *db.Tx) error {
		runs++
		if _, err := search.Count(tx, &enlist.Search{Schema: f.schema}); err != nil {
			return err
		}
		if runs == 1 {
			_, err := f.store.jobs.Exec(t.Context(), "BEGIN; LOCK TABLE list IN ACCESS EXCLUSIVE MODE; SELECT pg_current_xact_id(); COMMIT")
			f.must(err)
			f.must(f.standby.Await("SELECT confl_lock > 0 FROM pg_stat_database_conflicts WHERE datname = 'postgres'"))
		}
		_, err := tx.ContactCount(f.list)
		return err
	}))
	if runs != 2 {
		t.Errorf("the function ran %d times, want 2", runs)
	}
	f.wantWarning("a replica cannot be used")
}

func (f *replicaFixture) away(t *testing.T) {
	f.wantReplica()
	f.must(f.standby.Stop("immediate"))
	before, _ := f.count(f.store)
	_, err := f.subscribe(t.Context(), "away@example.com", "")
	f.must(err)
	for range 3 {
		if n, byReplica := f.count(f.store); n != before+1 || byReplica {
			t.Errorf("the search found %d Contacts, want %d; served by a replica: %t, want false", n, before+1, byReplica)
		}
	}
	f.wantWarning("a replica cannot be used")
	f.must(f.standby.Start())
	f.wantReplica()
}

// If a replica is not a standby of the database, a warning is logged at the start.
func (f *replicaFixture) another(t *testing.T) {
	other := server(t)
	f.log.take()
	for _, test := range []struct{ name, url, want string }{
		{"the primary itself", f.primary.URL("postgres"), "it is no standby"},
		{"another cluster", other.URL("postgres"), "it is no standby of the database that --db names"},
		{"another database", f.standby.URL("template1"), "it is no standby of the database that --db names"},
	} {
		s := f.open(t, 0, test.url)
		logged := f.log.take()
		for strings.Contains(logged, "wait for a connection") { // the machine was too busy to connect in time
			s = f.open(t, 0, test.url)
			logged = f.log.take()
		}
		f.isWarning(logged, test.want)
		if _, byReplica := f.count(s); byReplica {
			t.Errorf("%s served a search, want the primary", test.name)
		}
		f.log.take()
	}
	to, err := f.store.replicas.position(t.Context())
	f.must(err)
	conn, err := f.store.replicas.all[0].pool.Acquire(t.Context())
	f.must(err)
	defer conn.Release()
	to.timeline++
	if _, err := to.reachedOn(t.Context(), conn); err == nil || !strings.Contains(err.Error(), "failover") {
		t.Errorf("a replica with an older timeline: error %v, want one about a failover", err)
	}
}

// A warning is logged when the pools may open more connections than the server allows.
func TestOpenWarnsOfTooFewConnections(t *testing.T) {
	var log lines
	openAt(t, database(t), Options{Writers: 2000, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if got := log.take(); !strings.Contains(got, "too few connections") {
		t.Errorf("logged %q, want a warning about too few connections", got)
	}
}
