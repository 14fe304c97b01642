package postgres

import (
	"context"
	"errors"

	"enlist/internal/db"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file implements db.Conn. session_send.go sends its statements, partition.go names the
// partitions in them, and session_rows.go reads their results.

// session implements db.Conn for one transaction. It queues statements and
// sends them together when the function needs a result: each flush is one round
// trip, however many statements are queued. BEGIN is part of the first flush.
//
// A session starts with the version of the catalogue that this process saw last, so it needs no round
// trip to read the version. The first flush returns the true version. If the two versions differ, no
// result of that flush is used: flush panics with a RetrySignal, and the function runs again from its
// start.
type session struct {
	ctx      context.Context // limits every statement of the transaction
	conn     *pgx.Conn
	queue    []request     // not sent yet
	rows     *streamedRows // rows that the function still reads; no other statement can be sent meanwhile
	failed   error         // the first error; every later statement returns it too
	readOnly bool          // Query returns rows while the server still sends them
	started  bool          // readOnly: BEGIN is queued or sent
	limited  bool          // readOnly: the server ends a statement when ctx does
	single   bool          // readOnly: the function's only statement is the last, so BEGIN and COMMIT are not sent

	version  int64 // of the catalogue; a guess until verified is true
	verified bool

	partitions *partitions // nil: the large tables are distributed, so no statement of a search has a generic plan

	running    bool // a function runs, so db.Call recovers a RetrySignal
	exclusive  bool // no other transaction writes at the same time
	needsLock  bool // the function has called LockDefinitions, but exclusive is false
	counted    bool // the transaction wrote to contact_delta or list_day_part
	committing bool // COMMIT is queued or sent
	skipped    bool // an earlier statement of the same flush failed, so the server did not run COMMIT

	inserted int64 // rows
}

var (
	errNeedsLock = errors.New("the function changes definitions; it runs again under an exclusive lock")
	errStale     = errors.New("another process has changed the definitions; the function runs again")
	errReadOnly  = errors.New("a read-only transaction cannot write")
	errNested    = errors.New("read or close the rows of the previous query before the next statement")
	errEnded     = errors.New("the last statement has ended the transaction; no statement can follow")
)

// newSession returns a session. version is the version of the catalogue that this process saw last.
// It is 0 if the first flush must read the version without a comparison.
func newSession(ctx context.Context, conn *pgxpool.Conn, p *partitions, version int64) *session {
	return &session{ctx: ctx, conn: conn.Conn(), partitions: p, version: version}
}

const readVersion = "SELECT version FROM catalogue"

// begin queues the statements that open the transaction, and then the query that reads the version of
// the catalogue.
func (s *session) begin(version string, statements ...string) {
	for _, text := range statements {
		s.send(text, nil, nil)
	}
	s.send(version, nil, func(rows pgx.Rows) error {
		expected := s.version
		if err := readNumber(rows, &s.version); err != nil {
			return err
		}
		if expected != 0 && expected != s.version {
			return errStale
		}
		s.verified = true
		return nil
	})
}

// call runs fn on the session.
func (s *session) call(fn func(*db.Tx) error, shared *db.Session,
	enqueue func(db.Effect) error) error {
	s.running = true
	defer func() { s.running = false }()
	return db.Call(fn, db.NewTx(s.ctx, s, shared, enqueue))
}

// fail remembers the first error of the transaction and returns it.
func (s *session) fail(err error) error {
	if s.failed == nil {
		s.failed = err
	}
	if s.limited && sqlState(err) == queryCanceled {
		<-s.ctx.Done() // callers look at their context to see that the time is over
	}
	if outdated(err) {
		// Other prepared statements of this connection are probably outdated too. The pool opens a
		// new connection.
		s.conn.Close(s.ctx)
	}
	return s.failed
}

// broken reports whether the connection can no longer be used. pgx closes the connection after a
// network error, after a FATAL error of the server, or if the context of a statement ends.
func (s *session) broken() bool { return s.conn.IsClosed() }

// ready returns the reason why no statement can run now, or nil if a statement can run.
func (s *session) ready() error {
	switch {
	case s.failed != nil:
		return s.failed
	case s.rows != nil:
		return errNested
	case s.single:
		return errEnded
	}
	return nil
}

// writable returns the reason why no statement that writes can run now, or nil if such a statement
// can run.
func (s *session) writable() error {
	if s.readOnly {
		return errReadOnly
	}
	return s.ready()
}

// flush sends the queued statements and reads their results.
func (s *session) flush() error {
	queue := s.queue
	results := s.sendQueue()
	err := s.receive(results, queue)
	if closed := results.Close(); err == nil {
		err = closed
	}
	if err == nil {
		return nil
	}
	return s.retryIfStale(s.fail(err))
}

// receive reads the results of requests in the order in which they were sent.
func (s *session) receive(results results, requests []request) error {
	for i, r := range requests {
		tag, err := r.read(results)
		if tag.Insert() {
			s.inserted += tag.RowsAffected()
		}
		if err != nil {
			_, refused := errors.AsType[*pgconn.PgError](err)
			_, unsent := errors.AsType[pgx.ErrPreprocessingBatch](err)
			s.skipped = unsent || refused && i < len(requests)-1
			return err
		}
	}
	return nil
}

// retryIfStale panics with a RetrySignal if err says that the running function used an old version
// of the catalogue. Otherwise it returns err.
func (s *session) retryIfStale(err error) error {
	if s.running && errors.Is(err, errStale) {
		panic(db.RetrySignal{Err: err})
	}
	return err
}

// rollback rolls the transaction back because of err, and returns err. A search whose time is over keeps its connection:
// a new one needs 50 ms until it has read the catalogue of the server.
func (s *session) rollback(err error) error {
	s.queue = nil
	if !s.broken() && s.conn.PgConn().TxStatus() != 'I' {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), giveUpAfter)
		defer cancel()
		s.conn.Exec(ctx, "ROLLBACK") // after an error here the pool drops the connection
	}
	return err
}

// Exec implements db.Conn.
func (s *session) Exec(query string, args ...any) (affected int64, err error) {
	if err := s.writable(); err != nil {
		return 0, err
	}
	s.send(query, args, func(rows pgx.Rows) error {
		rows.Close()
		affected = rows.CommandTag().RowsAffected()
		return rows.Err()
	})
	return affected, s.flush()
}

// Do implements db.Conn: the statement is sent with the next flush.
func (s *session) Do(query string, args ...any) error {
	if err := s.writable(); err != nil {
		return err
	}
	s.send(query, args, nil)
	return nil
}

// Insert implements db.Conn.
func (s *session) Insert(query string, args ...any) (id int64, err error) {
	if err := s.writable(); err != nil {
		return 0, err
	}
	s.send(query+" RETURNING id", args, func(rows pgx.Rows) error { return readNumber(rows, &id) })
	return id, s.flush()
}

// Query implements db.Conn. In a transaction that writes, the rows are buffered, so that the
// function can run other statements while it reads the rows.
func (s *session) Query(_ context.Context, query string, args ...any) (db.Rows, error) {
	return s.rowsOf(db.Statement{Text: query, Args: args}, "")
}

// Search implements db.Conn. The whole transaction is one round trip when its only statement is the Last.
func (s *session) Search(_ context.Context, q db.Statement) (db.Rows, error) {
	return s.rowsOf(q, planMode(q))
}

// rowsOf returns the rows of a statement. plan is the expression that sets how PostgreSQL plans it; "": none.
func (s *session) rowsOf(q db.Statement, plan string) (db.Rows, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	if s.readOnly {
		s.start(q.Last)
		s.limitTime()
		return s.stream(q, plan)
	}
	buffered := &bufferedRows{decoder: decoder{s.conn.TypeMap(), true}}
	s.search(q, plan, buffered.readAll)
	if err := s.flush(); err != nil {
		return nil, err
	}
	return buffered, nil
}

// stream sends the queue with a query as the last statement. It does not read the rows of that query.
func (s *session) stream(q db.Statement, plan string) (db.Rows, error) {
	s.search(q, plan, nil)
	before := s.queue[:len(s.queue)-1]
	results := s.sendQueue()
	err := s.receive(results, before)
	if err == nil {
		var rows pgx.Rows
		rows, err = results.Query()
		if err == nil {
			s.rows = &streamedRows{session: s, decoder: decoder{types: s.conn.TypeMap()}, rows: rows, results: results}
			return s.rows, nil
		}
	}
	results.Close() // the first error is returned
	return nil, s.retryIfStale(s.fail(err))
}

// Lock implements db.Conn. It queues a statement that takes an advisory lock. If two names have
// the same hash, their transactions wait for each other without need. This does no other harm.
func (s *session) Lock(mode db.LockMode, name string) error {
	if mode == db.Shared {
		return s.Do("SELECT pg_advisory_xact_lock_shared(hashtextextended(?, 0))", name)
	}
	return s.Do("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name)
}

// LockDefinitions implements db.Conn.
func (s *session) LockDefinitions() error {
	if s.exclusive {
		return nil
	}
	s.needsLock = true
	panic(db.RetrySignal{Err: errNeedsLock})
}

// Dialect implements db.Conn.
func (s *session) Dialect() *db.Dialect { return dialect }
