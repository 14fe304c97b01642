package sqlite

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

// session runs statements on one connection for sqlstore, each prepared once.
type session struct {
	conn       driver.Conn
	statements map[string]*statement
	once       map[string]*statement // those of one List
	args       []driver.NamedValue   // of the statement being run
	writes     int                   // statements since the function began that could change something
	failed     error                 // the first error of a statement since the function began
	deadline   time.Time             // zero: none
}

// statement is a prepared one. It cannot run twice at once.
type statement struct {
	driver.Stmt
	running bool
	columns int // of its rows; 0 until it was first run
}

// maxStatements bounds the prepared statements of a connection: searches have
// many shapes, and whoever makes them up must not fill the memory.
const maxStatements = 150

// maxOnce bounds those of one List: a client that pages through it, or looks up
// one address after the other, finds its own still there.
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

// begin forgets the last function and gives the next one its time.
func (s *session) begin(deadline time.Time) {
	s.writes, s.failed, s.deadline = 0, nil, deadline
}

func (s *session) note(err error) error {
	if err != nil && s.failed == nil {
		s.failed = err
	}
	return err
}

func (s *session) prepare(query string) (*statement, error) {
	if !s.deadline.IsZero() && time.Now().After(s.deadline) {
		return nil, errOverdue
	}
	kept, most := s.kept(query)
	st, ok := kept[query]
	if ok && !st.running {
		return st, nil
	}
	prepared, err := s.conn.Prepare(plannedOnce(query))
	if err != nil {
		return nil, err
	}
	st = &statement{Stmt: prepared}
	if ok { // the same statement is being read from: this one is for once
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

// kept are the prepared statements among which one is, and how many they may be.
func (s *session) kept(query string) (statements map[string]*statement, most int) {
	if strings.HasPrefix(query, sqlstore.Once) {
		return s.once, maxOnce
	}
	return s.statements, maxStatements
}

var listArgument = regexp.MustCompile(`\blist_id = (\?[0-9]*)`)

// plannedOnce writes a statement such that it is planned once. A List that is a bare
// argument is compared with the List of every partial index, for which SQLite plans
// the statement again each time it is bound: with 64 indexes of searches a
// subscription took 120 µs of processor time in place of 80.
func plannedOnce(query string) string {
	return listArgument.ReplaceAllString(query, "list_id = CAST($1 AS BIGINT)")
}

func (s *session) bind(args []any) []driver.NamedValue {
	s.args = s.args[:0]
	for i, arg := range args {
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: arg})
	}
	return s.args
}

func (s *session) run(query string, args []any) (driver.Result, error) {
	st, err := s.prepare(query)
	if err != nil {
		return nil, s.note(err)
	}
	// Without cancellation: an interrupted statement makes SQLite roll the
	// whole transaction back, and with it what the neighbours wrote.
	result, err := st.Stmt.(driver.StmtExecContext).ExecContext(context.Background(), s.bind(args))
	return result, s.note(err)
}

// Exec runs a statement.
func (s *session) Exec(query string, args ...any) (affected int64, err error) {
	s.writes++
	result, err := s.run(query, args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Do runs a statement whose result nobody looks at.
func (s *session) Do(query string, args ...any) error {
	s.writes++
	_, err := s.run(query, args)
	return err
}

// Lock has nothing to wait for: there is one writer.
func (s *session) Lock(sqlstore.LockMode, string) error { return nil }

// Alone is how every function that writes runs.
func (s *session) Alone() error { return nil }

// Dialect is SQLite's.
func (s *session) Dialect() *sqlstore.Dialect { return Dialect }

// Insert runs an INSERT of one row.
func (s *session) Insert(query string, args ...any) (id int64, err error) {
	s.writes++
	result, err := s.run(query, args)
	if err != nil {
		return 0, err
	}
	if n, err := result.RowsAffected(); n == 0 || err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// Query runs a query.
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
	if st.columns == 0 { // asked once: it is a call into SQLite for each column
		st.columns = len(rows.Columns())
	}
	return &result{Rows: rows, row: make([]driver.Value, st.columns), ctx: ctx, session: s, statement: st, query: query}, nil
}

// noteFirst is note for an error of a query that has given no row yet. One that
// names an index cannot be prepared when that is gone, also if it was before:
// SQLite then says so when it is run.
func (s *session) noteFirst(ctx context.Context, query string, err error) error {
	if ctx.Err() == nil && strings.HasPrefix(query, sqlstore.Once) {
		return fmt.Errorf("%w: %w", sqlstore.ErrUnprepared, err)
	}
	return s.note(err)
}

// QueryLast is Query: one statement more or less is no matter here.
func (s *session) QueryLast(ctx context.Context, query string, args ...any) (sqlstore.Rows, error) {
	return s.Query(ctx, query, args...)
}

// result gives its statement back when it is closed.
type result struct {
	driver.Rows
	row       []driver.Value
	ctx       context.Context // of the query
	session   *session
	statement *statement
	query     string
	started   bool // there was a row
}

// Next implements sqlstore.Rows.
func (r *result) Next() ([]driver.Value, error) {
	err := r.Rows.Next(r.row)
	if err != nil && err != io.EOF {
		if r.started {
			return nil, r.session.note(err)
		}
		return nil, r.session.noteFirst(r.ctx, r.query, err)
	}
	r.started = true
	return r.row, err
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
