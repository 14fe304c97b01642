package sqlite

// This file runs statements on a connection, for readers and for the writer.

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"enlist/internal/store/sqlstore"
)

// session implements sqlstore's connection on one SQLite connection. It prepares each
// statement once and keeps it. One goroutine at a time uses a session.
type session struct {
	conn       driver.Conn
	statements map[string]*statement // by SQL text
	once       map[string]*statement // statements marked sqlstore.Once, which name one List
	args       []driver.NamedValue   // arguments of the running statement, reused
	writes     int                   // writing statements of the current function
	failed     error                 // first error of a statement of the current function
	deadline   time.Time             // of the current function; zero: none
}

// statement is a prepared statement. It cannot run twice at once.
type statement struct {
	driver.Stmt
	running bool
	row     []driver.Value // the current row of the result; nil before the first run
}

// maxStatements limits the prepared statements of a connection. Searches can have any
// number of different texts, and clients must not be able to fill the memory with them.
const maxStatements = 150

// maxOnce limits the prepared statements that name one List. It is large enough that
// a client that reads pages, or looks up addresses, finds its statement prepared.
const maxOnce = 50

var errOverdue = errors.New("the function held the writer for too long")

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

// begin resets the state of the last function and sets the deadline of the next.
func (s *session) begin(deadline time.Time) {
	s.writes, s.failed, s.deadline = 0, nil, deadline
}

// note stores the first error of the current function and returns err.
func (s *session) note(err error) error {
	if err != nil && s.failed == nil {
		s.failed = err
	}
	return err
}

// prepare returns a prepared statement, from the cache if it is there and not running.
// A full cache drops statements in random order.
func (s *session) prepare(query string) (*statement, error) {
	if !s.deadline.IsZero() && time.Now().After(s.deadline) {
		return nil, errOverdue
	}
	kept, most := s.kept(query)
	st, ok := kept[query]
	if ok && !st.running {
		return st, nil
	}
	prepared, err := s.conn.Prepare(planOnce(query))
	if err != nil {
		return nil, err
	}
	st = &statement{Stmt: prepared}
	if ok { // the cached statement is running: this one is closed after use
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

// kept returns the cache that a query belongs to, and its limit.
func (s *session) kept(query string) (statements map[string]*statement, most int) {
	if strings.HasPrefix(query, sqlstore.Once) {
		return s.once, maxOnce
	}
	return s.statements, maxStatements
}

var listArgument = regexp.MustCompile(`\blist_id = (\?[0-9]*)`)

// planOnce rewrites a statement so that SQLite plans it once. SQLite compares a bare
// list_id argument with the List of each partial index, and therefore plans the
// statement again after each bind. With 64 search indexes a subscription then takes
// 120 µs of processor time; with the CAST it takes 80 µs.
func planOnce(query string) string {
	return listArgument.ReplaceAllString(query, "list_id = CAST($1 AS BIGINT)")
}

// bind converts arguments for the driver. The result is valid until the next call.
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
	st, err := s.prepare(query)
	if err != nil {
		return nil, s.note(err)
	}
	// The statement cannot be cancelled: SQLite answers an interrupted write with a
	// rollback of the whole transaction, including the writes of the group's other functions.
	result, err := st.Stmt.(driver.StmtExecContext).ExecContext(context.Background(), s.bind(args))
	return result, s.note(err)
}

// Exec implements sqlstore's connection. It returns the number of rows that the statement changed.
func (s *session) Exec(query string, args ...any) (affected int64, err error) {
	result, err := s.run(query, args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Do runs a statement and ignores its result.
func (s *session) Do(query string, args ...any) error {
	_, err := s.run(query, args)
	return err
}

// Lock does nothing: SQLite has one writer, so a transaction needs no other locks.
func (s *session) Lock(sqlstore.LockMode, string) error { return nil }

// LockDefinitions does nothing: with one writer, no other transaction writes at the same time.
func (s *session) LockDefinitions() error { return nil }

// Dialect is SQLite's.
func (s *session) Dialect() *sqlstore.Dialect { return Dialect }

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

// Query runs a query. Its statement is in use until the caller closes the rows.
func (s *session) Query(ctx context.Context, query string, args ...any) (sqlstore.Rows, error) {
	st, err := s.prepare(query)
	if err != nil {
		return nil, s.noteFirst(ctx, query, err)
	}
	rows, err := st.Stmt.(driver.StmtQueryContext).QueryContext(ctx, s.bind(args))
	if err != nil {
		return nil, s.noteFirst(ctx, query, err)
	}
	st.running = true
	if st.row == nil { // kept, because the driver calls SQLite for each column
		st.row = make([]driver.Value, len(rows.Columns()))
	}
	return &result{Rows: rows, ctx: ctx, session: s, statement: st, query: query}, nil
}

// noteFirst handles an error of a query that has returned no row yet. A query that names an index
// fails after the index is dropped: when SQLite prepares it, or at the next run of a prepared one.
// ErrUnprepared makes sqlstore plan the search again.
func (s *session) noteFirst(ctx context.Context, query string, err error) error {
	if ctx.Err() == nil && strings.HasPrefix(query, sqlstore.Once) {
		return fmt.Errorf("%w: %w", sqlstore.ErrUnprepared, err)
	}
	return s.note(err)
}

// QueryLast is Query. Knowing the last statement saves a round trip on PostgreSQL only.
func (s *session) QueryLast(ctx context.Context, query string, args ...any) (sqlstore.Rows, error) {
	return s.Query(ctx, query, args...)
}

// result reads the rows of a query. Close returns its statement to the session.
type result struct {
	driver.Rows
	ctx       context.Context // of the query
	session   *session
	statement *statement
	query     string
	started   bool // at least one row was read
}

// Next implements sqlstore.Rows.
func (r *result) Next() ([]driver.Value, error) {
	err := r.Rows.Next(r.statement.row)
	if err != nil && err != io.EOF {
		if r.started {
			return nil, r.session.note(err)
		}
		return nil, r.session.noteFirst(r.ctx, r.query, err)
	}
	r.started = true
	return r.statement.row, err
}

// Close implements sqlstore.Rows.
func (r *result) Close() error {
	err := r.Rows.Close()
	r.statement.running = false
	if kept, _ := r.session.kept(r.query); kept[r.query] != r.statement {
		err = errors.Join(err, r.statement.Close())
	}
	return err
}
