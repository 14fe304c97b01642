package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/db"
	"enlist/internal/db/jobqueue"
	"enlist/internal/db/postgres"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"
	"enlist/internal/search/advisor"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
)

// This file opens a database of either engine, and finds the Account that a command acts for.

// withService runs do with a Service on an existing database.
func withService(ctx context.Context, dbFlags config.Database, do func(*app.App) error) error {
	return withStore(ctx, dbFlags, func(store *database) error {
		service, _, err := usedService(ctx, store, dbFlags)
		if err != nil {
			return err
		}
		return do(service)
	})
}

// usedService returns the Service and the index advisor of an existing database, with the settings that hold.
func usedService(ctx context.Context, store *database, dbFlags config.Database) (*app.App, *advisor.Advisor, error) {
	service, indexes := newService(store)
	declareSettings(service, dbFlags)
	if err := service.ReadSettings(ctx); err != nil && enlist.KindOf(err) != enlist.InvalidParameters {
		return nil, nil, err // enlist settings must be able to change a value that this version cannot read
	}
	return service, indexes, nil
}

// newService returns the Service of a store and its index advisor, which observes the Service's searches.
func newService(store db.Engine) (*app.App, *advisor.Advisor) {
	service := app.New(store, time.Now)
	indexes := advisor.New(store, time.Now, advisor.DefaultRules(func() int {
		return service.Accounts.Settings().SearchIndexes
	}))
	service.Contacts.Observe(indexes.SearchRan)
	return service, indexes
}

// database is a store of either engine, with the functions that are not in db.Engine.
type database struct {
	db.Engine
	jobs    func(*jobqueue.Config) (*jobqueue.Client, error)
	check   func(ctx context.Context) (problems []string, err error)
	inspect func(ctx context.Context) error // looks for damage of the file; nil on PostgreSQL
	metrics []prometheus.Collector
}

// waitForServer is the longest time that a starting service waits for its database server.
const waitForServer = time.Minute

// searches returns the largest number of simultaneous searches that may read every Contact of a List.
func searches() int { return max(8, runtime.GOMAXPROCS(0)) }

// openDatabase opens a database. For a setting of 0 the engine uses its default.
// If mayBeNew is true, openDatabase waits for a database server and creates missing tables.
// tracer is for the statements on PostgreSQL; nil: none.
// If mayBeNew is false, a PostgreSQL database without the tables of enlist is an error.
func openDatabase(ctx context.Context, c config.Serve, mayBeNew bool, log *slog.Logger,
	tracer pgx.QueryTracer) (*database, error) {
	if c.IsPostgres() {
		o := postgres.Options{
			Writers: c.DBWriters, Readers: c.DBReaders, Replicas: c.DBReplica, ReplicaLag: c.DBReplicaLag,
			Searches: searches(), Existing: !mayBeNew, Log: log, Tracer: tracer,
		}
		if mayBeNew {
			o.WaitForServer = waitForServer
		}
		s, err := postgres.Open(ctx, c.DB, o)
		if err != nil {
			return nil, err
		}
		return &database{Engine: s, jobs: s.Jobs, check: s.Check, metrics: s.Metrics()}, nil
	}
	s, err := sqlite.Open(ctx, c.DB, sqlite.Options{
		Searches: searches(), Log: log, ExternalCheckpoints: c.Checkpoints == "external",
	})
	if err != nil {
		return nil, err
	}
	check := func(ctx context.Context) ([]string, error) { return sqlite.Check(ctx, c.DB) }
	return &database{s, s.Jobs, check, s.Inspect, s.Metrics()}, nil
}

// withStore runs do with the store of an existing database, and then closes the store.
func withStore(ctx context.Context, dbFlags config.Database, do func(*database) error) error {
	if err := dbFlags.Check(); err != nil {
		return &usageError{err}
	}
	if err := dbFlags.Exists(); err != nil {
		return err
	}
	store, err := openDatabase(ctx, config.Serve{Database: dbFlags}, false, nil, nil)
	if err != nil {
		return err
	}
	// Return only the first error, because the operator should read only one line.
	if err := do(store); err != nil {
		store.Close()
		return err
	}
	return store.Close()
}

// chooseAccount returns the given ID of an Account. For 0 it returns the ID of the only Account of the database, and
// an error if the database has no Account or several.
func chooseAccount(ctx context.Context, s *app.App, id int64) (enlist.AccountID, error) {
	if id != 0 {
		return enlist.AccountID(id), nil
	}
	all, err := s.Accounts.AllAccounts(ctx)
	switch {
	case err != nil:
		return 0, err
	case len(all) == 0:
		return 0, errors.New("there is no Account yet: add one with: enlist account add --name NAME")
	case len(all) > 1:
		return 0, usage("there are several Accounts: choose one with --account; enlist account list shows the Accounts")
	}
	return all[0].ID, nil
}

// operator returns a Caller with all rights in an Account. The ID 0 means the only Account of the database.
func operator(ctx context.Context, s *app.App, account int64) (*enlist.Caller, error) {
	id, err := chooseAccount(ctx, s, account)
	if err != nil {
		return nil, err
	}
	return s.Accounts.Operator(ctx, id)
}

// operatorOfList returns a Caller with all rights in the Account that the List belongs to.
func operatorOfList(ctx context.Context, s *app.App, list enlist.ListID) (*enlist.Caller, error) {
	return allLists.owner(ctx, s, int64(list))
}

// inAccounts returns the records that find returns in all Accounts, or in one, with the IDs of their Accounts.
func inAccounts(ctx context.Context, s *app.App, account int64,
	find func(*enlist.Caller) ([]record, error)) (rows []record, err error) {
	err = eachAccount(ctx, s, func(c *enlist.Caller) error {
		if account != 0 && enlist.AccountID(account) != c.Account.ID {
			return nil
		}
		found, err := find(c)
		for _, r := range found {
			rows = append(rows, append(r, value{"account_id", c.Account.ID}))
		}
		return err
	})
	return rows, err
}

// eachAccount calls do for each Account, with a Caller that has all rights in it.
func eachAccount(ctx context.Context, s *app.App, do func(*enlist.Caller) error) error {
	accounts, err := s.Accounts.AllAccounts(ctx)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		c, err := s.Accounts.Operator(ctx, a.ID)
		if err != nil {
			return err
		}
		if err := do(c); err != nil {
			return err
		}
	}
	return nil
}

// untilSignal returns a context that SIGINT and SIGTERM end. After restore, a signal ends the process.
func untilSignal(ctx context.Context) (stoppable context.Context, restore func()) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}

// next adds advice to an error: what the operator can do next.
func next(err error, what string) error { return &nextError{err, what} }

// nextError is an error with advice. errors.Is and errors.As see the error that it wraps.
type nextError struct {
	error
	what string
}

func (e *nextError) Error() string { return e.error.Error() + ": " + e.what }
func (e *nextError) Unwrap() error { return e.error }
