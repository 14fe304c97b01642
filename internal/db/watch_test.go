package db_test

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/dbtest"
)

// A commit of any process is seen at the next look, also after the connection that looks was lost. Without a commit no
// change is reported.
func TestACommitIsSeenAtTheNextLook(t *testing.T) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		address := e.New(t)
		synctest.Test(t, func(t *testing.T) {
			s, other := dbtest.Opened(t, address), dbtest.Opened(t, address)
			var changes atomic.Int64
			strict := e.Name == "sqlite" // a PostgreSQL server also has the commits of other tests
			defer s.Watch(func(changed bool) { changes.Add(db.Bit(changed)) })()
			write := func(s *dbtest.Store) {
				if err := s.Update(t.Context(), func(tx *db.Tx) error { return tx.Changed() }); err != nil {
					t.Fatal(err)
				}
			}
			seen := func(when string, want int64) {
				t.Helper()
				<-time.After(time.Second + time.Millisecond)
				synctest.Wait()
				if n := changes.Load(); n < want || strict && n > want {
					t.Fatalf("%d changes are seen after %s, want %d", n, when, want)
				}
				changes.Store(want)
			}
			seen("the first look", 1)
			<-time.After(time.Minute)
			seen("a minute without a commit", 1)
			write(other)
			seen("a commit of another process", 2)
			write(s)
			seen("a commit of the process", 3)
			s.Presence(t.Context()) // PostgreSQL: the connection with the lock looks
			seen("a token", 3)
			write(other)
			seen("a commit of another process", 4)
		})
	})
}

// The watchers share one look a second. After an error nothing counts as seen. Without a watcher it does not look.
func TestWatchersShareOneLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks, version atomic.Int64
		var failed atomic.Bool
		l := db.NewLooks(func(context.Context) (string, error) {
			looks.Add(1)
			if failed.Load() {
				return "", errors.New("no answer")
			}
			return strconv.FormatInt(version.Load(), 10), nil
		})
		var told, changes [2]atomic.Int64
		watch := func(i int) func() {
			return l.Watch(func(changed bool) { told[i].Add(1); changes[i].Add(db.Bit(changed)) })
		}
		numbers := func(of *[2]atomic.Int64) [2]int64 { return [2]int64{of[0].Load(), of[1].Load()} }
		pass := func(d time.Duration) {
			<-time.After(d)
			synctest.Wait()
		}
		first := watch(0)
		pass(10*time.Second + time.Millisecond)
		second := watch(1)
		version.Add(1)
		pass(10 * time.Second)
		n, calls, seen := looks.Load(), numbers(&told), numbers(&changes)
		if n != 21 || calls != [2]int64{21, 10} || seen != [2]int64{2, 1} {
			t.Errorf("%d looks told %v times of %v changes; want 21, [21 10] and [2 1]", n, calls, seen)
		}
		failed.Store(true)
		pass(3 * time.Second)
		failed.Store(false)
		pass(3 * time.Second)
		if seen := numbers(&changes); seen != [2]int64{3, 2} {
			t.Errorf("%v changes are told after an error, want one more", seen)
		}
		first()
		second()
		stopped := looks.Load()
		pass(time.Minute)
		if looks.Load() != stopped {
			t.Error("it looks without a watcher")
		}
		again := watch(0)
		pass(time.Second)
		if again(); looks.Load() == stopped {
			t.Error("it does not look for a new watcher")
		}
	})
}
