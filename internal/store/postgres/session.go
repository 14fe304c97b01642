package postgres

import (
	"context"
	"errors"
	"strconv"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"

	"github.com/jackc/pgx/v5/pgconn"
)

// session runs a transaction's statements for sqlstore. They are queued, and go
// out when somebody waits for a result: each time is one round trip, whatever is
// in it. The transaction's own beginning is part of the first.
//
// It begins by taking for granted that the catalogue is as this process has last
// seen it. The first round trip brings the true version; when that is another,
// nothing that was read is used: the function is left there and then (RetrySignal),
// and runs again.
type session struct {
	pipeline   *pgconn.Pipeline
	statements *statements
	queue      []request // sent or to be sent, whose results are not read yet
	rows       *rows     // being read
	failed     error     // the first error: the transaction is lost
	broken     bool      // and the connection with it
	reads      bool      // nothing may be written, and rows are read as they come
	begun      bool      // of one that reads: its beginning is queued
	whole      bool      // of one that reads: it is over with the round trip of its only statement

	version  int64 // of the catalogue, as it is or is taken to be
	verified bool

	running    bool // a function
	alone      bool // no other transaction that writes runs beside this one
	wantsAlone bool
	deltas     bool // counts of Contacts were written
	committing bool // COMMIT was sent
	skipped    bool // the server has refused a statement before the last one, and runs no later one
}

// request is a statement whose result is to be read.
type request struct {
	prepares *statement                       // which is being prepared by it
	then     func(*pgconn.ResultReader) error // nil: only its error counts
}

var (
	errStale    = errors.New("the definitions have changed")
	errAlone    = errors.New("the function has to run alone")
	errReadOnly = errors.New("a transaction that reads was to write")
	errNested   = errors.New("a statement while the rows of another are read")
	errEnded    = errors.New("a statement after the one that was to be the last")
)

// begin queues the beginning of a transaction.
func (s *session) begin(statements ...string) {
	for _, text := range statements {
		s.send(text, nil, nil)
	}
	s.send("SELECT version FROM catalogue", nil, func(r *pgconn.ResultReader) error {
		version := int64(0)
		if r.NextRow() {
			version, _ = strconv.ParseInt(string(r.Values()[0]), 10, 64)
		}
		if _, err := r.Close(); err != nil {
			return err
		}
		if taken := s.version; taken != 0 && taken != version {
			s.version = version
			return errStale
		}
		s.version, s.verified = version, true
		return nil
	})
}

// send queues a statement.
func (s *session) send(query string, args []any, then func(*pgconn.ResultReader) error) {
	values := make([][]byte, len(args))
	for i, arg := range args {
		values[i] = encode(arg)
	}
	st, fresh := s.statements.find(query)
	if st.name == "" {
		s.pipeline.SendQueryParams(st.text, values, nil, nil, nil)
		s.queue = append(s.queue, request{then: then})
		return
	}
	var prepares *statement
	if fresh {
		s.pipeline.SendPrepare(st.name, st.text, nil)
		prepares = st
	}
	s.pipeline.SendQueryPrepared(st.name, values, nil, nil)
	s.queue = append(s.queue, request{prepares, then})
}

// call runs a function on the session.
func (s *session) call(ctx context.Context, fn func(audience.Tx) error, shared *sqlstore.Session, enqueue func(audience.Effect) error) error {
	s.running = true
	defer func() { s.running = false }()
	return sqlstore.Call(fn, sqlstore.NewTx(ctx, s, shared, enqueue))
}

// fail notes that the transaction is lost.
func (s *session) fail(err error) error {
	if err == nil {
		return nil
	}
	if s.failed == nil {
		s.failed = err
	}
	server, told := errors.AsType[*pgconn.PgError](err)
	if !told && !errors.Is(err, errStale) || told && (server.Severity == "FATAL" || server.Severity == "PANIC") {
		s.broken = true
	}
	return s.failed
}

// ready returns why no statement can be run.
func (s *session) ready() error {
	switch {
	case s.failed != nil:
		return s.failed
	case s.rows != nil:
		return errNested
	case s.whole:
		return errEnded
	}
	return nil
}

// flush sends what is queued and reads the results.
func (s *session) flush() error {
	if err := s.pipeline.Sync(); err != nil {
		return s.fail(err)
	}
	if _, err := s.receive(len(s.queue)); err != nil {
		return s.unwind(err)
	}
	return s.synced()
}

// unwind leaves the function when it has gone by a catalogue that is another now.
func (s *session) unwind(err error) error {
	if s.running && errors.Is(err, errStale) {
		panic(sqlstore.RetrySignal{Err: err})
	}
	return err
}

// receive reads the results of the next n requests; of the last one, when it
// says nothing of what to do with it, it returns the reader.
func (s *session) receive(n int) (*pgconn.ResultReader, error) {
	for i := range n {
		request := &s.queue[i]
		reader, err := s.result(request)
		switch {
		case err != nil:
		case i == n-1 && request.then == nil && s.reads:
			s.queue = s.queue[:0]
			return reader, nil
		case request.then != nil:
			err = request.then(reader)
		default:
			_, err = reader.Close()
		}
		if err != nil {
			_, says := errors.AsType[*pgconn.PgError](err)
			s.skipped = says && i < n-1
			return nil, s.recover(err)
		}
	}
	s.queue = s.queue[:0]
	return nil, nil
}

func (s *session) result(r *request) (*pgconn.ResultReader, error) {
	if r.prepares != nil {
		if _, err := s.pipeline.GetResults(); err != nil {
			return nil, err
		}
		r.prepares = nil
	}
	result, err := s.pipeline.GetResults()
	if err != nil {
		return nil, err
	}
	reader, ok := result.(*pgconn.ResultReader)
	if !ok {
		return nil, errors.New("a result is missing")
	}
	return reader, nil
}

// recover reads, after an error, up to where the server listens again.
func (s *session) recover(err error) error {
	s.fail(err)
	for _, request := range s.queue {
		if request.prepares != nil {
			s.statements.forget(request.prepares)
		}
	}
	if outdated(err) {
		clear(s.statements.prepared) // others are likely to be so too
	}
	s.queue = s.queue[:0]
	for !s.broken {
		result, err := s.pipeline.GetResults()
		switch result := result.(type) {
		case *pgconn.PipelineSync:
			return s.failed
		case *pgconn.ResultReader:
			result.Close() // the first error counts
		}
		if err != nil {
			s.fail(err)
		}
		if err == nil && result == nil {
			s.broken = true
		}
	}
	return s.failed
}

// synced reads the end of what was sent together.
func (s *session) synced() error {
	result, err := s.pipeline.GetResults()
	if err != nil {
		return s.recover(err)
	}
	if _, ok := result.(*pgconn.PipelineSync); !ok {
		s.broken = true
		return s.fail(errors.New("the server's answers are out of step"))
	}
	return nil
}

// Exec runs a statement.
func (s *session) Exec(query string, args ...any) (affected int64, err error) {
	if err := s.writable(); err != nil {
		return 0, err
	}
	s.send(query, args, func(r *pgconn.ResultReader) error {
		tag, err := r.Close()
		affected = tag.RowsAffected()
		return err
	})
	return affected, s.flush()
}

// Do queues a statement.
func (s *session) Do(query string, args ...any) error {
	if err := s.writable(); err != nil {
		return err
	}
	s.send(query, args, nil)
	return nil
}

func (s *session) writable() error {
	if s.reads {
		return errReadOnly
	}
	return s.ready()
}

// Insert runs an INSERT of one row.
func (s *session) Insert(query string, args ...any) (id int64, err error) {
	if err := s.writable(); err != nil {
		return 0, err
	}
	s.send(query+" RETURNING id", args, func(r *pgconn.ResultReader) error {
		if r.NextRow() {
			id, _ = strconv.ParseInt(string(r.Values()[0]), 10, 64)
		}
		_, err := r.Close()
		return err
	})
	return id, s.flush()
}

// Query runs a query. A transaction that writes gets all rows at once, so that
// it may run another statement while it looks at them.
func (s *session) Query(_ context.Context, query string, args ...any) (sqlstore.Rows, error) {
	return s.query(query, args, false)
}

// QueryLast runs a query. When it is the only one of its transaction too, that is
// no more than one round trip.
func (s *session) QueryLast(_ context.Context, query string, args ...any) (sqlstore.Rows, error) {
	return s.query(query, args, true)
}

func (s *session) query(query string, args []any, last bool) (sqlstore.Rows, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	if s.reads {
		s.start(last)
	} else {
		var all held
		s.send(query, args, all.take)
		if err := s.flush(); err != nil {
			return nil, err
		}
		return &all, nil
	}
	s.send(query, args, nil)
	if err := s.pipeline.Sync(); err != nil {
		return nil, s.fail(err)
	}
	reader, err := s.receive(len(s.queue))
	if err != nil {
		return nil, s.unwind(err)
	}
	s.rows = &rows{session: s, reader: reader}
	return s.rows, nil
}

// Lock queues waiting for a name. Different names may come to the same lock;
// that only makes them wait for each other.
func (s *session) Lock(mode sqlstore.LockMode, name string) error {
	if mode == sqlstore.Shared {
		return s.Do("SELECT pg_advisory_xact_lock_shared(hashtextextended(?, 0))", name)
	}
	return s.Do("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name)
}

// Alone implements sqlstore.Conn.
func (s *session) Alone() error {
	if s.alone {
		return nil
	}
	s.wantsAlone = true
	panic(sqlstore.RetrySignal{Err: errAlone})
}

// Dialect is PostgreSQL's.
func (s *session) Dialect() *sqlstore.Dialect { return dialect }
