package pgtest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// This file checks every statement that the stores of the tests prepare. The statements about large tables must be able
// to run on a Citus cluster.

var (
	large = regexp.MustCompile(`(\w+ )?\b(contact|consent|delivery|recipient|recipient_event)\b([.]?)`) // a large table and the word before it
	list  = regexp.MustCompile(`\blist_id = (\?|\$|[0-9]|wanted\.list_id|ANY\()`)                       // wanted: some Lists, joined with the table
	texts = regexp.MustCompile(`'[^']*'`)
	// the partition of a List, in a database that is not distributed
	partition = regexp.MustCompile(`\b(contact|consent|delivery)_\d+( AS (contact|consent|delivery)\b)?`)
)

// CoordinatorTables are the tables that are not distributed: they have no row for each Contact, or their statements
// name no List.
var CoordinatorTables = []string{
	"account", "account_move", "api_key", "asked_mailbox", "audit", "autoresponder", "autoresponder_batch", "backup", "batch",
	"batch_agent", "batch_approval", "batch_departure", "batch_domain", "batch_edition", "batch_exclusion", "batch_link",
	"batch_population", "batch_slice", "batch_sum", "catalogue", "contact_change", "contact_change_part",
	"contact_delta", "departure", "field", "file", "file_content", "file_piece", "folder", "form", "form_day",
	"image_copy", "import", "import_result", "link", "list", "list_day", "list_day_part", "mail_day", "mail_hold",
	"mail_pace", "mail_rate", "membership", "message", "message_version", "passkey", "passkey_challenge", "person", "preference", "queue_age", "retry", "saved_block", "search_index",
	"secret", "segment", "sending_domain", "session", "setting", "sign_in_link", "person_link",
	"unsubscriber", "untrusted_proxy", "webhook", "webhook_event", "webhook_target",
}

// small matches mentions of the tables that are not distributed.
var small = regexp.MustCompile(`\b(FROM|JOIN|INTO|UPDATE) (` + strings.Join(append(CoordinatorTables, `river_\w+`),
	"|") + `)\b`)

// Statements collects the statements that a store prepares. It is the tracer of the store's connections. Some random
// searches use statements that pgx does not keep prepared. Those statements are not checked.
type Statements struct {
	mu       sync.Mutex
	seen     map[string]bool
	problems []string
}

// TraceQueryStart implements pgx.QueryTracer.
func (s *Statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (s *Statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TracePrepareStart implements pgx.PrepareTracer.
func (s *Statements) TracePrepareStart(ctx context.Context, _ *pgx.Conn, p pgx.TracePrepareStartData) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	// pgx describes the columns for COPY by a SELECT that it never executes.
	if s.seen[p.SQL] || strings.HasPrefix(p.SQL, `select "`) {
		return ctx
	}
	if s.seen == nil {
		s.seen = make(map[string]bool)
	}
	s.seen[p.SQL] = true
	if problem := acrossLists(p.SQL); problem != "" {
		s.problems = append(s.problems, problem+": "+p.SQL)
	}
	return ctx
}

// TracePrepareEnd implements pgx.PrepareTracer.
func (s *Statements) TracePrepareEnd(context.Context, *pgx.Conn, pgx.TracePrepareEndData) {}

// Check fails a test for each new statement that reads every partition, on every server of a cluster: for each mention
// of a large table, a statement must have one List as an argument. A statement with a large table must not use a small
// table, because small tables are on the coordinator only.
func (s *Statements) Check(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, problem := range s.problems {
		t.Errorf("a statement that cannot run on a Citus cluster: %s", problem)
	}
	s.problems = nil
}

// acrossLists returns the reason why a statement cannot run on a cluster, or "" if it can run there.
func acrossLists(query string) string {
	query = partition.ReplaceAllString(texts.ReplaceAllString(query, "''"), "$1")
	mentions, inserts := 0, false
	for _, m := range large.FindAllStringSubmatch(query, -1) {
		before, table, dot := strings.TrimSpace(m[1]), m[2], m[3]
		switch {
		case dot != "": // the table name is a part of a column name
		case before == "INTO" && strings.Contains(query, "INSERT INTO "+table+" (list_id,"):
			inserts = true
		case slices.Contains([]string{"FROM", "JOIN", "INTO", "UPDATE"}, before):
			mentions++
		default:
			return table + " is mentioned, but not after FROM, JOIN, INTO or UPDATE"
		}
	}
	where := query
	if strings.HasPrefix(query, "UPDATE") {
		_, where, _ = strings.Cut(query, "WHERE")
	}
	if lists := len(list.FindAllString(where, -1)); lists < mentions {
		return fmt.Sprintf("%d mentions of a large table, and %d Lists", mentions, lists)
	}
	if other := small.FindStringSubmatch(query); (mentions > 0 || inserts) && other != nil {
		return other[2] + " is on another server"
	}
	return ""
}
