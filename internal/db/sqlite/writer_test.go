package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/lists"
)

// A function that fails or panics is rolled back. The other functions of its group are committed.
func TestOnlyTheFailingFunctionIsRolledBack(t *testing.T) {
	s := open(t)
	refused := errors.New("refused")
	var fns []func(*db.Tx) error
	for i := range 40 {
		add := addAccount(fmt.Sprint("account ", i))
		switch i % 4 {
		case 1:
			fns = append(fns, func(tx *db.Tx) error { return errors.Join(add(tx), refused) })
		case 2:
			fns = append(fns, func(tx *db.Tx) error { add(tx); panic("a bug") })
		case 3:
			fns = append(fns, func(*db.Tx) error { return refused }) // fails before it writes
		default:
			fns = append(fns, add)
		}
	}
	errs := inOneGroup(t, s, fns...)
	names := storedNames(t, s)
	for i, err := range errs {
		name := fmt.Sprint("account ", i)
		if ok := i%4 == 0; (err == nil) != ok || (names[name] == 1) != ok || names[name] > 1 {
			t.Errorf("%s is stored %d times, error %v, want %t", name, names[name], err, ok)
		}
		if i%4 == 2 && (err == nil || !strings.Contains(err.Error(), "a bug")) {
			t.Errorf("%s has the error %v, want the text of the panic", name, err)
		}
	}
}

// A lone caller runs its function on its own goroutine. If the function ends this goroutine, nothing is stored, and other
// callers can write.
func TestALoneCallerRunsItsFunctionItself(t *testing.T) {
	s := open(t)
	for !s.writer.hasLoneCaller() {
		if err := s.Update(t.Context(), func(*db.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		s.Update(t.Context(), func(tx *db.Tx) error {
			addAccount("ended")(tx)
			runtime.Goexit()
			return nil
		})
		t.Error("Update returns, want that its goroutine ends")
	})
	wg.Wait()
	if err := s.Update(t.Context(), addAccount("next")); err != nil {
		t.Fatal(err)
	}
	if names := storedNames(t, s); names["ended"] != 0 || names["next"] != 1 {
		t.Errorf("the Accounts %v are stored, want only the one called next", names)
	}
}

// hasLoneCaller reports whether the next caller runs its function itself. A turn can still run when its caller has
// returned, and then serves the next function too.
func (w *writer) hasLoneCaller() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.busy && w.lone >= loneTurns
}

// A function that ignores the error of a statement fails with that error.
func TestAFunctionCannotIgnoreAFailedStatement(t *testing.T) {
	s := open(t)
	key := func(tx *db.Tx) error { return accounts.AddKey(tx, &enlist.Key{Name: "k"}, enlist.HashKey("same")) }
	errs := inOneGroup(t, s, key, func(tx *db.Tx) error {
		addAccount("ignores the error")(tx)
		key(tx) // this statement fails, because the key is not unique; the function ignores the error
		return nil
	}, addAccount("other"))
	if errs[0] != nil || errs[1] == nil || errs[2] != nil {
		t.Errorf("the errors are %v, want one for the second function only", errs)
	}
	if names := storedNames(t, s); names["ignores the error"] != 0 || names["other"] != 1 {
		t.Errorf("the Accounts %v are stored, want only the one called other", names)
	}
}

// The jobs of a function are stored only if its changes are committed.
func TestJobsAreStoredOnlyWithTheirChanges(t *testing.T) {
	s := open(t)
	notify := func(tx *db.Tx) error { return tx.Enqueue(events.Notify{Address: "a@example.com"}) }
	errs := inOneGroup(t, s,
		notify,
		func(tx *db.Tx) error {
			return errors.Join(notify(tx), addAccount("x")(tx), errors.New("refused"))
		},
		func(tx *db.Tx) error { return errors.Join(notify(tx), notify(tx)) },
	)
	if errs[0] != nil || errs[1] == nil || errs[2] != nil {
		t.Fatal(errs)
	}
	if n := countJobs(t, s); n != 3 {
		t.Errorf("%d jobs are stored, want 3", n)
	}
}

// countJobs counts the available jobs of kind notify.
func countJobs(t *testing.T, s *Store) (n int) {
	t.Helper()
	if err := s.db.QueryRowContext(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'notify' AND queue = 'notify' AND state = 'available'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Some callers cancel their calls at random times while other callers write. If a call returns no
// error, its Account is stored once. If a call returns an error, its Account is not stored.
func TestACancelledCallStoresNothingAndFailsNoOtherCall(t *testing.T) {
	s := open(t)
	var (
		mu   sync.Mutex
		errs = make(map[string]error)
		wg   sync.WaitGroup
	)
	for c := range 64 {
		wg.Go(func() {
			for i := range 25 {
				ctx, cancel := context.WithCancel(t.Context())
				if rand.IntN(2) == 0 {
					ctx, cancel = context.WithTimeout(t.Context(), time.Duration(rand.IntN(2000))*time.Microsecond)
				}
				name := fmt.Sprint(c, ".", i)
				err := s.Update(ctx, addAccount(name))
				cancel()
				mu.Lock()
				errs[name] = err
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	names := storedNames(t, s)
	cancelled := 0
	for name, err := range errs {
		switch n := names[name]; {
		case err == nil && n != 1, err != nil && n != 0:
			t.Errorf("the Account %s is stored %d times, error %v, want once or an error", name, n, err)
		case err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
			t.Errorf("the call for %s returns the error %v, want the error of its context", name, err)
		case err != nil:
			cancelled++
		}
	}
	t.Logf("%d of %d calls were cancelled", cancelled, len(errs))
}

// If the disk is full, SQLite rolls back the transaction of the group. The writer then stores the
// changes of those functions for which the disk has enough space.
func TestAFullDiskFailsOnlyTheFunctionsThatDoNotFit(t *testing.T) {
	s := open(t)
	limit := func(pages string) {
		t.Helper()
		if _, err := s.db.ExecContext(t.Context(), "PRAGMA max_page_count = "+pages); err != nil {
			t.Fatal(err)
		}
	}
	var pages int
	if err := s.db.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit(fmt.Sprint(pages + 40))
	huge := strings.Repeat("x", 1<<20)
	errs := inOneGroup(t, s, addAccount("first"), addAccount(huge), addAccount("second"), addAccount(huge+"y"), addAccount("third"))
	names := storedNames(t, s)
	for i, name := range []string{"first", huge, "second", huge + "y", "third"} {
		if (errs[i] == nil) != (names[name] == 1) {
			t.Errorf("the Account of function %d is stored %d times, error %v, want once or an error", i, names[name], errs[i])
		}
	}
	if errs[0] != nil || errs[1] == nil || errs[2] != nil || errs[3] == nil || errs[4] != nil {
		t.Errorf("the errors are %v, want errors only for the second and the fourth function", errs)
	}
	limit("1000000")
	if err := s.Update(t.Context(), addAccount(huge)); err != nil {
		t.Errorf("after the limit was raised, the same function fails: %v", err)
	}
}

// Two stores write to one file at the same time without errors. Each store reads the change of a List
// that the other store has just committed.
func TestTwoStoresShareOneFile(t *testing.T) {
	path := newFile(t)
	a, b := openAt(t, path), openAt(t, path)
	list := &enlist.List{Name: "News"}
	err := a.Update(t.Context(), func(tx *db.Tx) error { return lists.Insert(tx, list) })
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		writing, reading := a, b
		if i%2 == 1 {
			writing, reading = b, a
		}
		list.Name = fmt.Sprint("News ", i)
		if err := writing.Update(t.Context(), func(tx *db.Tx) error { return lists.Update(tx, list) }); err != nil {
			t.Fatal(err)
		}
		update := func(ctx context.Context, fn func(*db.Tx) error) error { return reading.Update(ctx, fn) }
		for _, run := range []func(context.Context, func(*db.Tx) error) error{reading.View, update} {
			err := run(t.Context(), func(tx *db.Tx) error {
				schema, err := lists.Schema(tx, list.ID)
				if err == nil && schema.List.Name != list.Name {
					t.Errorf("the other store reads %q, want %q", schema.List.Name, list.Name)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	var wg sync.WaitGroup
	for n, s := range []*Store{a, b, a, b} {
		wg.Go(func() {
			for i := range 100 {
				if err := s.Update(t.Context(), addAccount(fmt.Sprint(n, ".", i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(storedNames(t, a)); n != 400 {
		t.Errorf("%d Accounts are stored, want 400", n)
	}
}

// Only the owner can read the database file and its -wal and -shm files.
func TestOnlyTheOwnerCanReadTheFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "enlist.db")
	openAt(t, path)
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has the mode %o, want 600", filepath.Base(name), mode)
		}
	}
}

// If a function changes a definition and then fails, the cache does not contain the change.
func TestARolledBackChangeIsNotCached(t *testing.T) {
	s := open(t)
	list := &enlist.List{Name: "News"}
	if err := s.Update(t.Context(), func(tx *db.Tx) error { return lists.Insert(tx, list) }); err != nil {
		t.Fatal(err)
	}
	name := func(tx *db.Tx) string {
		schema, err := lists.Schema(tx, list.ID)
		if err != nil {
			t.Error(err)
			return ""
		}
		return schema.List.Name
	}
	changed := *list
	changed.Name = "Changed"
	var seen string
	errs := inOneGroup(t, s, func(tx *db.Tx) error {
		if err := lists.Update(tx, &changed); err != nil {
			return err
		}
		if got := name(tx); got != "Changed" {
			t.Errorf("the function that changed the name of the List reads %q, want Changed", got)
		}
		return errors.New("refused")
	}, func(tx *db.Tx) error {
		seen = name(tx)
		return addAccount("other")(tx)
	})
	if errs[0] == nil || errs[1] != nil {
		t.Fatal(errs)
	}
	if seen != "News" {
		t.Errorf("the other function of the group reads the name %q, want News", seen)
	}
	err := s.View(t.Context(), func(tx *db.Tx) error {
		if got := name(tx); got != "News" {
			t.Errorf("after the rollback the name of the List is %q, want News", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A call that arrives while the store closes does not wait forever. It is committed, or it fails
// with errClosed.
func TestACallDuringCloseReturns(t *testing.T) {
	for range 30 {
		s, err := Open(t.Context(), newFile(t), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var callers sync.WaitGroup
		started := make(chan struct{}, 16)
		for range 16 {
			callers.Go(func() {
				started <- struct{}{}
				for {
					err := s.Update(context.Background(), func(*db.Tx) error { return nil })
					if errors.Is(err, errClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for range 16 {
			<-started
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		callers.Wait()
	}
}
