package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"enlist/internal/audience"
	"enlist/internal/config"
	"enlist/internal/indexadvisor"
	"enlist/internal/jobs"
	"enlist/internal/store/postgres"
	"enlist/internal/store/sqlite"

	"github.com/riverqueue/river"
)

// withService runs do on the database that is there already.
func withService(ctx context.Context, db config.Database, do func(*audience.Service) error) error {
	return withStore(ctx, db, func(store *database) error {
		service, _ := newService(store, indexadvisor.DefaultRules())
		return do(service)
	})
}

// newService makes the rules of a store, and the advisor that learns from them which
// indexes searches need.
func newService(store audience.Store, rules indexadvisor.Rules) (*audience.Service, *indexadvisor.Advisor) {
	service, advisor := audience.NewService(store, time.Now), indexadvisor.New(store, time.Now, rules)
	service.SetSearchObserver(advisor)
	return service, advisor
}

// database is a store of either engine, with what only its engine can do.
type database struct {
	audience.Store
	jobs  func(*river.Config) (jobs.Client, error)
	check func(ctx context.Context) (problems []string, err error)
}

// limits are how a database is to be used; zero means an engine's defaults.
type limits struct {
	searches   int
	searchTime time.Duration
	streams    int
	wait       time.Duration

	// Of PostgreSQL alone.
	writers    int
	readers    int
	replicas   []string
	replicaLag time.Duration
	patience   time.Duration
}

// patience is how long a service that is started waits for its database server.
const patience = time.Minute

func limitsOf(s config.Serve) limits {
	return limits{
		searches: s.Searches, searchTime: s.SearchTimeout, streams: s.Streams, wait: s.SearchWait,
		writers: s.DBWriters, readers: s.DBReaders, replicas: s.DBReplica, replicaLag: s.DBReplicaLag, patience: patience,
	}
}

// openDatabase opens a database. One on a server that has nothing of enlist in it
// is only made use of when it may be new.
func openDatabase(ctx context.Context, db config.Database, l limits, mayBeNew bool, log *slog.Logger) (*database, error) {
	if db.IsPostgres() {
		s, err := postgres.Open(ctx, db.DB, postgres.Options{
			Writers: l.writers, Readers: l.readers, Searches: l.searches, SearchTime: l.searchTime, Streams: l.streams, Wait: l.wait,
			Replicas: l.replicas, ReplicaLag: l.replicaLag, Existing: !mayBeNew, Patience: l.patience, Log: log,
		})
		if err != nil {
			return nil, err
		}
		return &database{s, func(c *river.Config) (jobs.Client, error) { return s.Jobs(c) }, s.Check}, nil
	}
	s, err := sqlite.Open(ctx, db.DB, sqlite.Options{
		Searches: l.searches, SearchTime: l.searchTime, Streams: l.streams, Wait: l.wait, Log: log,
	})
	if err != nil {
		return nil, err
	}
	check := func(ctx context.Context) ([]string, error) { return sqlite.Check(ctx, db.DB) }
	return &database{s, func(c *river.Config) (jobs.Client, error) { return s.Jobs(c) }, check}, nil
}

func withStore(ctx context.Context, db config.Database, do func(*database) error) error {
	if err := db.Check(); err != nil {
		return &usageError{err}
	}
	if err := db.Exists(); err != nil {
		return err
	}
	store, err := openDatabase(ctx, db, limits{}, false, nil)
	if err != nil {
		return err
	}
	// One error at most, as a rule: a person reads it.
	if err := do(store); err != nil {
		store.Close()
		return err
	}
	return store.Close()
}

// chooseAccount returns the Account with the ID, or, for 0, the only one there is.
func chooseAccount(ctx context.Context, s *audience.Service, id int64) (audience.AccountID, error) {
	if id != 0 {
		return audience.AccountID(id), nil
	}
	all, err := s.Accounts(ctx)
	switch {
	case err != nil:
		return 0, err
	case len(all) == 0:
		return 0, errors.New("there is no Account yet: make one with: enlist account add --name NAME")
	case len(all) > 1:
		return 0, usage("there are several Accounts: say which with --account; enlist account list shows them")
	}
	return all[0].ID, nil
}

// operator returns a Caller for the Account with the ID, or, for 0, the only one there is.
func operator(ctx context.Context, s *audience.Service, account int64) (*audience.Caller, error) {
	id, err := chooseAccount(ctx, s, account)
	if err != nil {
		return nil, err
	}
	return s.Operator(ctx, id)
}

// operatorOfList returns a Caller for the Account that has the List.
func operatorOfList(ctx context.Context, s *audience.Service, list audience.ListID) (*audience.Caller, error) {
	accounts, err := s.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range accounts {
		c, err := s.Operator(ctx, a.ID)
		if err != nil {
			return nil, err
		}
		if _, err := s.List(ctx, c, list); err == nil {
			return c, nil
		} else if audience.KindOf(err) != audience.NoList {
			return nil, err
		}
	}
	return nil, next(audience.Refuse(audience.NoList, "no List with ID %d", list), "enlist list show prints the Lists")
}

// next adds to an error what to do about it.
func next(err error, what string) error { return &nextError{err, what} }

type nextError struct {
	error
	what string
}

func (e *nextError) Error() string { return e.error.Error() + ": " + e.what }
func (e *nextError) Unwrap() error { return e.error }
