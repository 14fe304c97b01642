package postgres

import (
	"strconv"
	"strings"

	"enlist/internal/store/sqlstore"

	"github.com/jackc/pgx/v5/pgconn"
)

// statements are those that a connection has prepared, by their text.
type statements struct {
	prepared map[string]*statement
	last     int // the number in the last name

	onlyHere bool // what was committed last is not on the standby that has to have it
}

// statement is one of them. One without a name is planned each time that it runs.
type statement struct {
	query string // as sqlstore writes it
	text  string // as the server reads it
	name  string
}

// maxStatements bounds the prepared statements of a connection: searches have
// many shapes, and whoever makes them up must not fill the server's memory.
const maxStatements = 200

// statementsKey is where a connection keeps them.
const statementsKey = "enlist statements"

func statementsOf(c *pgconn.PgConn) *statements {
	if s, ok := c.CustomData()[statementsKey].(*statements); ok {
		return s
	}
	s := &statements{prepared: make(map[string]*statement)}
	c.CustomData()[statementsKey] = s
	return s
}

// find returns a statement, and whether the caller has to prepare it.
func (s *statements) find(query string) (st *statement, fresh bool) {
	if st, ok := s.prepared[query]; ok {
		return st, false
	}
	st = &statement{query: query, text: rewrite(query)}
	if len(s.prepared) >= maxStatements || strings.HasPrefix(query, sqlstore.Once) {
		return st, false
	}
	s.last++
	st.name = "enlist_" + strconv.Itoa(s.last)
	s.prepared[query] = st
	return st, true
}

// forget notes that a statement could not be prepared.
func (s *statements) forget(st *statement) { delete(s.prepared, st.query) }

// rewrite writes $1, $2 for the arguments that sqlstore writes as ?, or as ?1, ?2.
func rewrite(query string) string {
	var b strings.Builder
	b.Grow(len(query) + 16)
	quoted, n := false, 0
	for i := range len(query) {
		c := query[i]
		switch {
		case c == '\'':
			quoted = !quoted
		case c == '?' && !quoted:
			b.WriteByte('$')
			if i+1 == len(query) || query[i+1] < '0' || query[i+1] > '9' {
				n++
				b.WriteString(strconv.Itoa(n))
			}
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
