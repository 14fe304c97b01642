package postgres

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/db"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// This file sends the queue of a session. Normally it sends the queue as a pgx.Batch: pgx
// prepares these statements and keeps them for later. But if PostgreSQL must plan one of the
// statements at each execution, the queue is sent without preparing its statements.
//
// A statement of the kind db.Generic is prepared when a connection gets it for the second
// time. PostgreSQL then keeps its plan too: it needs 0.1 ms to plan a search, more than to run it.

// request is a queued statement.
type request struct {
	query string
	args  []any
	once  bool                 // pgx must not prepare the statement and keep it
	then  func(pgx.Rows) error // reads the result; nil: the rows are not read, but an error is returned
}

// read reads the next result, which is the result of this request.
func (r *request) read(results results) (pgconn.CommandTag, error) {
	if r.then == nil {
		return results.Exec()
	}
	rows, err := results.Query()
	if err == nil {
		err = r.then(rows)
	}
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	rows.Close()
	return rows.CommandTag(), rows.Err()
}

// results are the results of a queue, in the order of its requests. pgx.BatchResults
// implements it.
type results interface {
	Exec() (pgconn.CommandTag, error)
	Query() (pgx.Rows, error)
	Close() error // reads the results that are left
}

// send queues a statement.
func (s *session) send(query string, args []any, then func(pgx.Rows) error) {
	for i, arg := range args {
		args[i] = storable(arg)
	}
	query = s.onPartition(rewrite(query), args) // can queue a question first
	s.queue = append(s.queue, request{query: query, args: args, then: then})
}

// search queues a statement that returns rows. plan is as in rowsOf.
func (s *session) search(q db.Statement, plan string, then func(pgx.Rows) error) {
	once := q.Kind == db.Once || q.Kind == db.Generic && !s.repeats(q.Text)
	switch {
	case once || plan == "" || !s.readOnly || s.partitions == nil:
	case s.single: // a statement of its own would cost a seventh of the look-up
		s.queue[0].query = readVersion + " WHERE " + plan + " <> ''"
	default:
		s.send("SELECT "+plan, nil, nil)
	}
	s.send(q.Text, q.Args, then)
	s.queue[len(s.queue)-1].once = once
}

// These expressions make PostgreSQL use one plan for all arguments, or a plan for the arguments of each execution, until
// the transaction ends. Without them, PostgreSQL would take what it expects to cost less after five executions, also if
// later arguments match far more or far fewer Contacts than the first ones.
const (
	setGeneric = "set_config('plan_cache_mode', 'force_generic_plan', true)"
	setCustom  = "set_config('plan_cache_mode', 'force_custom_plan', true)"
)

// planMode returns the one of them for the statement of a search.
func planMode(q db.Statement) string {
	if q.Kind == db.Generic {
		return setGeneric
	}
	return setCustom
}

// maxGeneric is the largest number of generic statements that a connection remembers. Each can become 16 prepared ones,
// for the partitions, and these must have room beside the other statements (maxStatements). Otherwise a connection that
// searches many Lists in turn would prepare each statement and soon forget it.
const maxGeneric = 50

// genericKey is the key in the CustomData of a connection for its generic statements.
const genericKey = "enlist: generic statements"

// repeats reports whether the connection of this session has run a generic statement before, and
// remembers the statement.
func (s *session) repeats(query string) bool {
	data := s.conn.PgConn().CustomData()
	seen, _ := data[genericKey].(map[string]struct{})
	if _, again := seen[query]; again {
		return true
	}
	if seen == nil || len(seen) >= maxGeneric {
		seen = make(map[string]struct{})
		data[genericKey] = seen
	}
	seen[query] = struct{}{}
	return false
}

// sendQueue sends all queued statements at once and empties the queue.
func (s *session) sendQueue() results {
	queue := s.queue
	s.queue = nil
	if slices.ContainsFunc(queue, func(r request) bool { return r.once }) {
		return s.sendUnprepared(queue)
	}
	batch := new(pgx.Batch)
	for _, r := range queue {
		batch.Queue(r.query, r.args...)
	}
	return s.conn.SendBatch(s.ctx, batch)
}

// sendUnprepared sends statements without preparing them. A pgx.Batch cannot do this, because
// all its statements have the query mode of the connection.
func (s *session) sendUnprepared(queue []request) results {
	var encoder pgx.ExtendedQueryBuilder
	batch := new(pgconn.Batch)
	for _, r := range queue {
		if err := encoder.Build(s.conn.TypeMap(), nil, r.args); err != nil {
			return pgx.FailedBatchResults(new(pgx.Batch), err)
		}
		batch.ExecParams(r.query, encoder.ParamValues, nil, encoder.ParamFormats, nil)
	}
	return unpreparedResults{s.conn.PgConn().ExecBatch(s.ctx, batch), s.conn.TypeMap()}
}

// unpreparedResults are the results of sendUnprepared.
type unpreparedResults struct {
	*pgconn.MultiResultReader
	types *pgtype.Map
}

// Exec skips the rows of the next result.
func (u unpreparedResults) Exec() (pgconn.CommandTag, error) {
	if !u.NextResult() {
		return pgconn.CommandTag{}, u.Close()
	}
	return u.ResultReader().Close()
}

// Query returns the next result.
func (u unpreparedResults) Query() (pgx.Rows, error) {
	if !u.NextResult() {
		return nil, u.Close()
	}
	return pgx.RowsFromResultReader(u.types, u.ResultReader()), nil
}

// Copy implements db.Copier.
func (s *session) Copy(table string, columns []string, rows [][]any) error {
	if err := s.writable(); err != nil {
		return err
	}
	if len(s.queue) > 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	for _, row := range rows {
		for i := range row {
			row[i] = storable(row[i])
		}
	}
	copied, err := s.conn.CopyFrom(s.ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(rows))
	if err != nil {
		return s.fail(fmt.Errorf("copy rows into %s: %w", table, err))
	}
	s.inserted += copied
	return nil
}

// rewrite replaces the placeholders ? or ?1, ?2 of package db by $1, $2, but not inside
// quotes.
func rewrite(query string) string {
	var b strings.Builder
	b.Grow(len(query) + 16)
	quoted, n := false, 0
	for {
		i := strings.IndexAny(query, "'?")
		if i < 0 {
			b.WriteString(query)
			return b.String()
		}
		b.WriteString(query[:i])
		isArgument := query[i] == '?' && !quoted
		if query[i] == '\'' {
			quoted = !quoted
		}
		if !isArgument {
			b.WriteByte(query[i])
			query = query[i+1:]
			continue
		}
		query = query[i+1:]
		b.WriteByte('$')
		if query == "" || query[0] < '0' || query[0] > '9' {
			n++
			b.WriteString(strconv.Itoa(n))
		}
	}
}

// storable returns an argument in a form that PostgreSQL accepts: its texts are UTF-8
// without NUL.
func storable(arg any) any {
	switch v := arg.(type) {
	case string:
		if text, changed := db.Storable(v); changed {
			return text
		}
	case []string:
		v = slices.Clone(v)
		for i := range v {
			v[i], _ = db.Storable(v[i])
		}
		return v
	}
	return arg
}
