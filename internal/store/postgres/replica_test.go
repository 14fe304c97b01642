package postgres

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/pgtest"
)

// follower is a desk whose store has a replica.
type follower struct {
	*desk
	primary, standby *pgtest.Server
	log              *lines
}

// newFollower starts two servers.
func newFollower(t *testing.T) *follower {
	t.Helper()
	f := &follower{primary: server(t), log: new(lines)}
	var err error
	if f.standby, err = f.primary.StartStandby(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.standby.Remove)
	if err := f.primary.Set("synchronous_standby_names", "''"); err != nil { // as most have it
		t.Fatal(err)
	}
	f.desk = newDesk(t, f.open(t, 0, f.standby.URL("postgres")))
	return f
}

func (f *follower) open(t *testing.T, lag time.Duration, replicas ...string) *Store {
	t.Helper()
	return openAt(t, f.primary.URL("postgres"), Options{Replicas: replicas, ReplicaLag: lag, Log: slog.New(slog.NewTextHandler(f.log, nil))})
}

// lines is a log.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// take returns what was logged since it was last called.
func (l *lines) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

func (f *follower) wantWarning(about string) {
	f.Helper()
	got := f.log.take()
	if strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, about) {
		f.Errorf("logged %q, want one warning about %q", got, about)
	}
}

// count counts the Contacts in a Search, and reports whether a replica served it.
func (f *follower) count(s *Store) (n int64, byReplica bool) {
	f.Helper()
	before := s.searches.pool.Stat().AcquireCount()
	f.must(s.Search(f.Context(), func(tx audience.Tx) (err error) {
		n, err = tx.CountContacts(&audience.Search{Schema: f.schema})
		return err
	}))
	return n, s.searches.pool.Stat().AcquireCount() == before
}

// wantReplica waits until a replica serves.
func (f *follower) wantReplica() {
	f.Helper()
	waitFor(f.T, func() bool { _, byReplica := f.count(f.store); return byReplica })
	f.log.take()
}

// A search sees what was answered before it, wherever it runs.
//
// covers: decision 55
func TestReplica(t *testing.T) {
	f := newFollower(t)
	for _, test := range []struct {
		name string
		run  func(*follower, *testing.T)
	}{
		{"in time", (*follower).inTime},
		{"behind", (*follower).behind},
		{"allowed to be behind", (*follower).allowed},
		{"in the way", (*follower).inTheWay},
		{"away", (*follower).away},
		{"another", (*follower).another},
	} {
		t.Run(test.name, func(t *testing.T) {
			one := *f.desk
			one.T = t
			test.run(&follower{&one, f.primary, f.standby, f.log}, t)
		})
	}
}

func (f *follower) inTime(t *testing.T) {
	f.wantReplica()
	served := 0
	for i := range 50 {
		_, err := f.subscribe(t.Context(), fmt.Sprintf("a%d@example.com", i), "")
		f.must(err)
		n, byReplica := f.count(f.store)
		if n != int64(i)+1 {
			t.Fatalf("%d Contacts after %d subscriptions", n, i+1)
		}
		if byReplica {
			served++
		}
	}
	if served == 0 {
		t.Error("the replica has served nothing")
	}
	before := f.store.searches.pool.Stat().AcquireCount() + f.store.streams.pool.Stat().AcquireCount()
	f.must(f.store.ViewPrimary(t.Context(), func(tx audience.Tx) error { _, err := tx.ContactCount(f.list); return err }))
	if f.store.searches.pool.Stat().AcquireCount()+f.store.streams.pool.Stat().AcquireCount() == before {
		t.Error("the replica has served what a change has to know first")
	}
}

// pause has the replica stop replaying until the test ends.
func (f *follower) pause(t *testing.T) {
	f.wantReplica()
	f.must(f.standby.Await("SELECT pg_wal_replay_pause() IS NOT NULL"))
	f.must(f.standby.Await("SELECT pg_get_wal_replay_pause_state() = 'paused'"))
	t.Cleanup(func() { f.must(f.standby.Await("SELECT pg_wal_replay_resume() IS NOT NULL")) })
}

func (f *follower) behind(t *testing.T) {
	f.pause(t)
	before, _ := f.count(f.store)
	_, err := f.subscribe(t.Context(), "behind@example.com", "")
	f.must(err)
	for range 3 {
		if n, byReplica := f.count(f.store); n != before+1 || byReplica {
			t.Errorf("%d Contacts, want %d; by a replica: %t", n, before+1, byReplica)
		}
	}
	f.wantWarning("it has not replayed in time")
}

func (f *follower) allowed(t *testing.T) {
	lenient := f.open(t, time.Hour, f.standby.URL("postgres"))
	f.pause(t)
	before, _ := f.count(lenient)
	_, err := f.subscribe(t.Context(), "allowed@example.com", "")
	f.must(err)
	if n, byReplica := f.count(lenient); n != before || !byReplica {
		t.Errorf("%d Contacts, want the %d of before; by a replica: %t", n, before, byReplica)
	}
	if n, byReplica := f.count(f.open(t, time.Nanosecond, f.standby.URL("postgres"))); n != before+1 || byReplica {
		t.Errorf("%d Contacts, want %d; by a replica: %t", n, before+1, byReplica)
	}
	// Definitions are never old.
	made, err := f.service.AddList(t.Context(), f.caller, []audience.Detail{detail("name", "New")})
	f.must(err)
	f.must(lenient.Search(t.Context(), func(tx audience.Tx) error { _, err := tx.Schema(made); return err }))
}

// Replaying needs what a search looks at: the search is broken off on the replica,
// and runs again on the primary.
func (f *follower) inTheWay(t *testing.T) {
	f.wantReplica()
	f.must(f.standby.Set("max_standby_streaming_delay", "'0'"))
	runs := 0
	f.must(f.store.Search(t.Context(), func(tx audience.Tx) error {
		runs++
		if _, err := tx.CountContacts(&audience.Search{Schema: f.schema}); err != nil {
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
		t.Errorf("the function ran %d times", runs)
	}
	f.wantWarning("a replica cannot be used")
}

func (f *follower) away(t *testing.T) {
	f.wantReplica()
	f.must(f.standby.Stop("immediate"))
	before, _ := f.count(f.store)
	_, err := f.subscribe(t.Context(), "away@example.com", "")
	f.must(err)
	for range 3 {
		if n, byReplica := f.count(f.store); n != before+1 || byReplica {
			t.Errorf("%d Contacts, want %d; by a replica: %t", n, before+1, byReplica)
		}
	}
	f.wantWarning("a replica cannot be used")
	f.must(f.standby.Start())
	f.wantReplica()
}

// What is no standby of the database is said when the service starts.
func (f *follower) another(t *testing.T) {
	other := server(t)
	f.log.take()
	for url, want := range map[string]string{
		f.primary.URL("postgres"):  "it is no standby",
		other.URL("postgres"):      "it is no standby of the database that --db names",
		f.standby.URL("template1"): "it is no standby of the database that --db names",
	} {
		s := f.open(t, 0, url)
		f.wantWarning(want)
		if _, byReplica := f.count(s); byReplica {
			t.Errorf("%s serves", url)
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
		t.Errorf("after a failover: %v", err)
	}
}

// A server that allows fewer connections than the service may want says so.
func TestTooFewConnections(t *testing.T) {
	var log lines
	openAt(t, database(t), Options{Writers: 500, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if got := log.take(); !strings.Contains(got, "too few connections") {
		t.Errorf("logged %q", got)
	}
}
