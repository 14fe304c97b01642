package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sync"
	"time"

	"enlist/internal/db"
)

// This file runs statements on a connection, for readers and for the writer.

// session implements db.Conn on one SQLite connection. It caches the prepared statements.
// Only one goroutine at a time is allowed to use a session.
type session struct {
	conn       driver.Conn
	statements map[string]*statement // by SQL text
	once       map[string]*statement // by SQL text; statements of the kind db.Once, which contain a List ID
	args       []driver.NamedValue   // arguments of the running statement; the next statement reuses the memory
	writes     int                   // number of statements that return no rows and that the current function has run
	trace      func(statement string)
	failed     error     // first error of a statement of the current function
	deadline   time.Time // deadline of the current function; zero: no deadline

	// The writer's goroutine may end the transaction of a long read (walLimiter). So mu guards the queries of
	// sessions that are shared in this way.
	mu     sync.Mutex
	damage *damage
	shared bool
	open   []*result // the results that are not closed
	broken error     // not nil: the writer has ended the transaction; queries return this error
}

// statement is a prepared statement. While it is running, it cannot be started a second time.
type statement struct {
	driver.Stmt
	running bool
	row     []driver.Value // the current row of the result; nil before the first run
}

// maxStatements limits the cached statements of a connection. Clients can send any number of
// different searches, and their statements must not fill the memory.
const maxStatements = 150

// maxOnce limits the cached statements that contain a List ID. A client can repeat the same search
// many times, with other pages or addresses. The limit is so large that the cache still contains
// the statement of such a search.
const maxOnce = 50

var errOverdue = errors.New("the function ran too long; it delays all other writes")

func newSession(conn driver.Conn) *session {
	return &session{conn: conn, statements: make(map[string]*statement), once: make(map[string]*statement)}
}

func (s *session) close() (err error) {
	for _, kept := range []map[string]*statement{s.statements, s.once} {
		for _, st := range kept {
			err = errors.Join(err, st.Close())
		}
	}
	s.statements, s.once = nil, nil
	return err
}

// begin resets the state for the next function and sets the deadline of this function.
func (s *session) begin(deadline time.Time) {
	s.writes, s.failed, s.deadline = 0, nil, deadline
}

// note stores the first error of the current function and returns err.
func (s *session) note(err error) error {
	s.damage.note(err)
	if err != nil && s.failed == nil {
		s.failed = err
	}
	return err
}

func (s *session) traced(query string) {
	if s.trace != nil {
		s.trace(query)
	}
}

// prepare returns a prepared statement. It returns the cached statement unless this statement is
// running. If the cache is full, prepare removes a random statement from the cache and closes it.
func (s *session) prepare(query string, kind db.Kind) (*statement, error) {
	if !s.deadline.IsZero() && time.Now().After(s.deadline) {
		return nil, errOverdue
	}
	s.traced(query)
	kept, most := s.kept(kind)
	st, ok := kept[query]
	if ok && !st.running {
		return st, nil
	}
	prepared, err := s.conn.Prepare(planOnce(query))
	if err != nil {
		return nil, err
	}
	st = &statement{Stmt: prepared}
	if ok { // the cached statement is running, so result.Close closes the new statement after its use
		return st, nil
	}
	for old, st := range kept {
		if len(kept) < most {
			break
		}
		if !st.running {
			delete(kept, old)
			err = errors.Join(err, st.Close())
		}
	}
	kept[query] = st
	return st, err
}

// kept returns the cache of a kind of statements, and the size limit of this cache.
func (s *session) kept(kind db.Kind) (statements map[string]*statement, most int) {
	if kind == db.Once {
		return s.once, maxOnce
	}
	return s.statements, maxStatements
}

var listArgument = regexp.MustCompile(`\blist_id = (\?[0-9]*)`)

// planOnce rewrites a statement so that SQLite plans it only once. Without the CAST, SQLite
// compares the argument for list_id with the List of each partial index. For this comparison,
// SQLite plans the statement again after each change of the argument. With 64 search indexes, a
// subscription takes 120 µs of processor time without the CAST, and 80 µs with it.
func planOnce(query string) string {
	return listArgument.ReplaceAllString(query, "list_id = CAST($1 AS BIGINT)")
}

// bind converts arguments for the driver. The result is valid until the next call of bind.
func (s *session) bind(args []any) []driver.NamedValue {
	s.args = s.args[:0]
	for i, arg := range args {
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: arg})
	}
	return s.args
}

// run executes a statement that returns no rows.
func (s *session) run(query string, args []any) (driver.Result, error) {
	s.writes++
	st, err := s.prepare(query, db.Common)
	if err != nil {
		return nil, s.note(err)
	}
	// This context is never cancelled. After an interrupted write, SQLite would roll back the
	// complete transaction, which contains the writes of the other functions in the group.
	result, err := st.Stmt.(driver.StmtExecContext).ExecContext(context.Background(), s.bind(args))
	return result, s.note(err)
}

// Exec runs a statement and returns the number of rows that it changed.
func (s *session) Exec(query string, args ...any) (affected int64, err error) {
	result, err := s.run(query, args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Do runs a statement without a result.
func (s *session) Do(query string, args ...any) error {
	_, err := s.run(query, args)
	return err
}

// Lock does nothing. SQLite has one writer, so a transaction needs no other locks.
func (s *session) Lock(db.LockMode, string) error { return nil }

// LockDefinitions does nothing. With one writer, no other transaction writes at the same time.
func (s *session) LockDefinitions() error { return nil }

// Dialect returns the SQL expressions of SQLite.
func (s *session) Dialect() *db.Dialect { return Dialect }

// Insert runs an INSERT of one row and returns its ID, or 0 if it inserted no row.
func (s *session) Insert(query string, args ...any) (id int64, err error) {
	result, err := s.run(query, args)
	if err != nil {
		return 0, err
	}
	if n, err := result.RowsAffected(); n == 0 || err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

func (s *session) lock() {
	if s.shared {
		s.mu.Lock()
	}
}

func (s *session) unlock() {
	if s.shared {
		s.mu.Unlock()
	}
}

// breakOff ends the transaction, so that it no longer reads from the write-ahead log. The goroutine that runs
// the transaction can be between two queries or two rows; its next query or row fails with err. The caller
// holds the lock.
func (s *session) breakOff(err error) {
	s.broken = err
	for _, r := range s.open {
		r.Rows.Close() // of a read-only statement, so an error does not matter
		r.closed = true
	}
	s.run("COMMIT", nil)
}

// Query runs a query.
func (s *session) Query(ctx context.Context, query string, args ...any) (db.Rows, error) {
	return s.Search(ctx, db.Statement{Text: query, Args: args})
}

// Search runs a query. The statement counts as running until the caller closes the rows.
func (s *session) Search(ctx context.Context, q db.Statement) (db.Rows, error) {
	s.lock()
	defer s.unlock()
	if s.broken != nil {
		return nil, s.broken
	}
	st, err := s.prepare(q.Text, q.Kind)
	if err != nil {
		return nil, s.noteFirst(ctx, q.Kind, err)
	}
	rows, err := st.Stmt.(driver.StmtQueryContext).QueryContext(ctx, s.bind(q.Args))
	if err != nil {
		return nil, s.noteFirst(ctx, q.Kind, err)
	}
	st.running = true
	if st.row == nil { // allocated only once for each statement, because Columns calls SQLite for each column
		st.row = make([]driver.Value, len(rows.Columns()))
	}
	r := &result{Rows: rows, ctx: ctx, session: s, statement: st, query: q.Text, kind: q.Kind}
	if s.shared {
		s.open = append(s.open, r)
	}
	return r, nil
}

// noteFirst handles an error of a query that has returned no row yet. Perhaps the query names an index
// that was dropped. Such a query fails when SQLite prepares it. If it was prepared before the index was
// dropped, it fails when it runs. noteFirst returns ErrUnprepared for such a query, and then package
// search plans the search again.
func (s *session) noteFirst(ctx context.Context, kind db.Kind, err error) error {
	s.damage.note(err)
	if ctx.Err() == nil && kind == db.Once {
		return fmt.Errorf("%w: %w", db.ErrUnprepared, err)
	}
	return s.note(err)
}

// result reads the rows of a query. After Close, the session can use the statement again.
type result struct {
	driver.Rows
	ctx       context.Context // the context of the query
	session   *session
	statement *statement
	query     string
	kind      db.Kind
	started   bool // Next has returned at least once without an error
	closed    bool // breakOff has closed the rows
}

// Next implements db.Rows.
func (r *result) Next() ([]driver.Value, error) {
	r.session.lock()
	defer r.session.unlock()
	if r.closed {
		return nil, r.session.broken
	}
	err := r.Rows.Next(r.statement.row)
	if err != nil && err != io.EOF {
		if r.started {
			return nil, r.session.note(err)
		}
		return nil, r.session.noteFirst(r.ctx, r.kind, err)
	}
	r.started = true
	return r.statement.row, err
}

// Close implements db.Rows.
func (r *result) Close() (err error) {
	r.session.lock()
	defer r.session.unlock()
	if r.session.shared {
		r.session.open = slices.DeleteFunc(r.session.open, func(o *result) bool { return o == r })
	}
	if !r.closed {
		err = r.Rows.Close()
	}
	r.statement.running = false
	if kept, _ := r.session.kept(r.kind); kept[r.query] != r.statement {
		err = errors.Join(err, r.statement.Close())
	}
	return err
}
