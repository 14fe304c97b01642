package db_test

import (
	"context"
	"errors"
	"strconv"
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
			s, other := openPresence(t, address), openPresence(t, address)
			changes, strict := 0, e.Name == "sqlite" // a PostgreSQL server also has the commits of other tests
			defer s.Watch(func(changed bool) { changes += int(db.Bit(changed)) })()
			write := func(s *dbtest.Store) {
				if err := s.Update(t.Context(), func(tx *db.Tx) error { return tx.Changed() }); err != nil {
					t.Fatal(err)
				}
			}
			seen := func(when string, want int) {
				t.Helper()
				<-time.After(time.Second + time.Millisecond)
				synctest.Wait()
				if changes < want || strict && changes > want {
					t.Fatalf("%d changes are seen after %s, want %d", changes, when, want)
				}
				changes = want
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
		looks, version, failed := 0, 0, error(nil)
		l := db.NewLooks(func(context.Context) (string, error) {
			looks++
			return strconv.Itoa(version), failed
		})
		told, changes := [2]int{}, [2]int{}
		watch := func(i int) func() {
			return l.Watch(func(changed bool) { told[i]++; changes[i] += int(db.Bit(changed)) })
		}
		pass := func(d time.Duration) {
			<-time.After(d)
			synctest.Wait()
		}
		first := watch(0)
		pass(10*time.Second + time.Millisecond)
		second := watch(1)
		version++
		pass(10 * time.Second)
		if looks != 21 || told != [2]int{21, 10} || changes != [2]int{2, 1} {
			t.Errorf("%d looks told %v times of %v changes; want 21, [21 10] and [2 1]", looks, told, changes)
		}
		failed = errors.New("no answer")
		pass(3 * time.Second)
		failed = nil
		pass(3 * time.Second)
		if changes != [2]int{3, 2} {
			t.Errorf("%v changes are told after an error, want one more", changes)
		}
		first()
		second()
		stopped := looks
		pass(time.Minute)
		if looks != stopped {
			t.Error("it looks without a watcher")
		}
		again := watch(0)
		pass(time.Second)
		if again(); looks == stopped {
			t.Error("it does not look for a new watcher")
		}
	})
}
