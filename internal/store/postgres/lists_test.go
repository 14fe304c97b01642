package postgres

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/storetest"

	"github.com/jackc/pgx/v5/pgxpool"
)

var (
	large   = regexp.MustCompile(`(?:FROM|JOIN|INTO|UPDATE) (contact|consent|delivery)\b( [a-z]+\b)?`)
	keyword = regexp.MustCompile(`^(where|set|on|order|join)$`)
)

// Every statement about a large table names one List: else it would ask every
// partition, and every server where they are distributed. This runs the suites and
// looks at all that they sent.
func TestStatementsNameTheirList(t *testing.T) {
	var mu sync.Mutex
	seen := make(map[string]bool)
	opened := func(t *testing.T) audience.Store {
		s := open(t)
		t.Cleanup(func() {
			mu.Lock()
			defer mu.Unlock()
			for _, pool := range []*pgxpool.Pool{s.writers, s.readers.pool, s.searches.pool, s.streams.pool} {
				for _, c := range pool.AcquireAllIdle(context.Background()) {
					for query := range statementsOf(c.Conn().PgConn()).prepared {
						seen[query] = true
					}
					c.Release()
				}
			}
		})
		return s
	}
	t.Run("suite", func(t *testing.T) { storetest.Run(t, engine(opened)) })
	t.Run("definitions", func(t *testing.T) { storetest.Definitions(t, opened) })
	t.Run("search", func(t *testing.T) { storetest.Search(t, opened) })
	if len(seen) < 50 {
		t.Fatalf("%d statements were seen", len(seen))
	}
	for query := range seen {
		for _, table := range large.FindAllStringSubmatch(query, -1) {
			if strings.HasPrefix(query, "INSERT INTO "+table[1]) && strings.Contains(query, "(list_id,") {
				continue
			}
			name := strings.TrimSpace(table[2])
			if name == "" || keyword.MatchString(strings.ToLower(name)) {
				name = table[1]
			}
			named := regexp.MustCompile(`(^|[^a-z.])(` + name + `\.)?list_id = (\?|[a-z]+\.list_id)`)
			if !named.MatchString(query) {
				t.Errorf("no List with %s: %s", name, query)
			}
		}
	}
}
