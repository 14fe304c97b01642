package apptest

import (
	"testing"

	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Rule is a test, and the rule that it tests.
type Rule[F any] struct {
	Name string
	Test func(F)
}

// Run runs the test of each rule on each engine, in parallel, each with a new fixture on the store that open returns.
func Run[F any](t *testing.T, open func(dbtest.Engine, testing.TB) *dbtest.Store, fixture func(*testing.T, db.Engine) F,
	rules []Rule[F]) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		for _, r := range rules {
			t.Run(r.Name, func(t *testing.T) {
				t.Parallel()
				r.Test(fixture(t, open(e, t)))
			})
		}
	})
}

// Shared returns the store of all tests that are kept apart by their Account.
func Shared(e dbtest.Engine, t testing.TB) *dbtest.Store { return e.Shared(t) }

// Own returns an empty store, for a test whose assertions are about a whole database.
func Own(e dbtest.Engine, t testing.TB) *dbtest.Store { return e.Own(t) }

// Slow is Own for tests that take a tenth of the time of all tests on PostgreSQL. Short tests leave them out there.
func Slow(e dbtest.Engine, t testing.TB) *dbtest.Store {
	if testing.Short() && e.Name != dbtest.SQLite.Name {
		t.Skip(`slow on PostgreSQL: run it with "make check"`)
	}
	return e.Own(t)
}

// Bench runs a benchmark on each engine, with a store of its own.
func Bench(b *testing.B, measure func(*testing.B, db.Engine)) {
	for _, e := range []dbtest.Engine{dbtest.SQLite, dbtest.Postgres} {
		b.Run(e.Name, func(b *testing.B) { measure(b, e.Own(b)) })
	}
}

// Store is a store without an Account.
type Store struct {
	*testing.T
	db.Engine
}

func NewStore(t *testing.T, s db.Engine) Store { return Store{t, s} }

// Update runs fn in an Update and fails the test on an error.
func Update(t *testing.T, s db.Engine, fn func(*db.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// View runs fn in a View and fails the test on an error.
func View(t *testing.T, s db.Engine, fn func(*db.Tx) error) {
	t.Helper()
	if err := s.View(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// Same fails the test if got differs from want.
func Same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(enlist.Schema{}),
		cmpopts.IgnoreFields(enlist.Contact{}, "Before", "IsComplaint"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// WantKind fails the test if err does not have the given Kind.
func WantKind(t *testing.T, what string, err error, kind enlist.Kind) {
	t.Helper()
	if err == nil || enlist.KindOf(err) != kind {
		t.Errorf("%s: error %v, want the Kind %d", what, err, kind)
	}
}
