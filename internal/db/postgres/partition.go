package postgres

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// This file makes a statement about one List name the partitions of this List in place of the partitioned tables. For a
// statement that names the table, PostgreSQL makes a new plan at each execution (0.1 ms, more than it needs to find a
// Contact), or opens all 16 partitions for a plan that it keeps.
//
// A statement is about one List if each partitioned table in it has a test list_id = and the List, or is the table of an
// INSERT whose first argument has the List, and if all of them have the same List. Any other statement stays as it is,
// which gives the same result. The tests check the text of each statement that they run (pgtest.Statements).

// partitionedTables are the tables that are partitioned by List, all of them in the same way.
var partitionedTables = []string{"contact", "consent", "delivery"}

// partitions remembers which partition has the rows of a List. This never changes. A Store with distributed tables, which
// have no partitions, has a nil *partitions.
type partitions struct {
	mu    sync.RWMutex
	names map[int64]string // ends of the names of the partitions, by List: _7
}

// findPartition returns the number of a List's partition.
var findPartition = "SELECT " + dialect.IndexPlace + " FROM (SELECT $1::bigint AS list_id) AS one"

// partitionOf returns the name of the partition with the number n.
func partitionOf(table string, n int64) string { return table + "_" + strconv.FormatInt(n, 10) }

func (p *partitions) of(list int64) string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.names[list]
}

// onPartition returns a statement with partitions in place of tables, if it is about one List. The first statement about
// a List stays as it is: the server gets it together with the question for the partition.
func (s *session) onPartition(query string, args []any) string {
	if s.partitions == nil {
		return query
	}
	tables := tablesIn(query)
	list := oneList(query, tables, args)
	if list == 0 {
		return query
	}
	if name := s.partitions.of(list); name != "" {
		return renamed(query, tables, name)
	}
	s.queue = append(s.queue, request{query: findPartition, args: []any{list}, then: func(rows pgx.Rows) error {
		var n int64
		if err := readNumber(rows, &n); err != nil {
			return err
		}
		s.partitions.mu.Lock()
		defer s.partitions.mu.Unlock()
		s.partitions.names[list] = partitionOf("", n)
		return nil
	}})
	return query
}

// tablesIn returns where the names of partitioned tables end in a statement, in their order.
func tablesIn(query string) (ends []int) {
	for _, table := range partitionedTables {
		for end := 0; ; {
			i := strings.Index(query[end:], table)
			if i < 0 {
				break
			}
			before := query[:end+i]
			end += i + len(table)
			if isNamed(before) && (end == len(query) || !isWord(query[end])) {
				ends = append(ends, end)
			}
		}
	}
	slices.Sort(ends)
	return ends
}

// isNamed reports whether the name of a table follows a text.
func isNamed(before string) bool {
	return strings.HasSuffix(before, "FROM ") || strings.HasSuffix(before, "INTO ") ||
		strings.HasSuffix(before, "UPDATE ") || strings.HasSuffix(before, "JOIN ")
}

func isWord(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// oneList returns the List of all partitioned tables in a statement, or 0 if they have none or several.
func oneList(query string, tables []int, args []any) (list int64) {
	if len(tables) == 0 {
		return 0
	}
	tests := 0
	takes := func(value any) bool {
		tests++
		id, ok := value.(int64)
		if ids, several := value.([]int64); several && len(ids) > 0 {
			id = ids[0]
			ok = !slices.ContainsFunc(ids, func(other int64) bool { return other != id })
		}
		ok = ok && (list == 0 || list == id)
		list = id
		return ok
	}
	for _, end := range tables {
		if strings.HasPrefix(query[end:], " (list_id,") && !takes(args[0]) {
			return 0
		}
	}
	const test = "list_id = "
	for rest := query; ; {
		i := strings.Index(rest, test)
		if i < 0 {
			break
		}
		rest = rest[i+len(test):]
		if value := operand(rest, args); value != nil && !takes(value) {
			return 0
		}
	}
	if tests < len(tables) {
		return 0
	}
	return list
}

// operand returns the value at the beginning of a text: an argument, a number, or the Lists of a table wanted, which are
// the first argument. It returns nil for anything else.
func operand(text string, args []any) any {
	if strings.HasPrefix(text, "wanted.list_id") {
		return args[0]
	}
	isArgument := strings.HasPrefix(text, "$")
	text = strings.TrimPrefix(text, "$")
	digits := 0
	for digits < len(text) && '0' <= text[digits] && text[digits] <= '9' {
		digits++
	}
	n, err := strconv.ParseInt(text[:digits], 10, 64)
	switch {
	case err != nil:
		return nil
	case isArgument:
		return args[n-1]
	}
	return n
}

// renamed returns a statement with the end of the name of partitions after the names of tables. The name of the table
// stays the name of its rows, unless the statement gives them another one.
func renamed(query string, tables []int, name string) string {
	var b strings.Builder
	b.Grow(len(query) + 32)
	begin := 0
	for _, end := range tables {
		b.WriteString(query[begin:end])
		b.WriteString(name)
		begin = end
		if rest := query[end:]; !strings.HasPrefix(rest, " AS ") && !(len(rest) > 1 && 'a' <= rest[1] && rest[1] <= 'z') {
			b.WriteString(" AS ")
			b.WriteString(query[strings.LastIndexByte(query[:end], ' ')+1 : end])
		}
	}
	b.WriteString(query[begin:])
	return b.String()
}
