package dbcopy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"enlist/internal/audience"
	"enlist/internal/jobs"
	"enlist/internal/store/dbcopy"
	"enlist/internal/store/pgtest"
	"enlist/internal/store/postgres"
	"enlist/internal/store/sqlite"
	"enlist/internal/store/teststores"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { pgtest.Main(m, func() error { return goleak.Find() }) }

func run(ctx context.Context, from, to string, batch int, report func(dbcopy.Step)) (r dbcopy.Result, err error) {
	source, err := sqlite.OpenSource(ctx, from)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := postgres.OpenTarget(ctx, to)
	if err != nil {
		return r, err
	}
	defer target.Close()
	return (&dbcopy.Copier{From: source, To: target, Batch: batch, Report: report}).Run(ctx)
}

// Everything arrives as it was, and goes on from there.
func TestCopy(t *testing.T) {
	from, to := teststores.SQLite.New(t), pgtest.Open(t)
	lists := fill(t, from, 60)
	result, err := run(t.Context(), from, to, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if result.Changed != 1 || result.Tables < 20 {
		t.Errorf("%+v", result)
	}
	compare(t, from, to, lists)

	s := openShop(t, to)
	defer s.close()
	var lastContact, lastJob int64
	db := rawSQLite(t, from)
	s.must(db.QueryRow("SELECT seq FROM sqlite_sequence WHERE name = 'contact'").Scan(&lastContact))
	s.must(db.QueryRow("SELECT max(id) FROM river_job").Scan(&lastJob))
	id := value(s.service.Subscribe(t.Context(), s.caller, audience.SubscribeRequest{List: lists[0],
		Details: details("Email", "new@example.com", "Amount", "3"), Consent: audience.Consent{Type: audience.ConsentGDPR, Text: "yes"}}))(s)
	if int64(id) != lastContact+1 {
		t.Errorf("the next Contact has the ID %d, and the last one had %d", id, lastContact)
	}
	for _, job := range s.jobs() {
		if job.ID > lastJob && job.ID <= 5000 {
			t.Errorf("a new job has the ID %d, and another one with 5000 held a target", job.ID)
		}
	}
	n := value(s.service.CountContacts(t.Context(), s.caller, lists[0], &audience.Criteria{Key: "Amount", Operator: "equals",
		Value: audience.Input{Kind: audience.InputNumber, Text: "12.5"}}))(s)
	if n == 0 {
		t.Error("the search by an amount finds no Contact")
	}
}

// A copy that is interrupted after any number of batches can be resumed. No server
// opens the target before the copy is complete.
func TestResume(t *testing.T) {
	from, to := teststores.SQLite.New(t), pgtest.Open(t)
	lists := fill(t, from, 40)
	batches, tries := 0, 0
	for stopAfter := 1; ; stopAfter += 6 {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		_, err := run(ctx, from, to, 7, func(s dbcopy.Step) {
			batches++
			if seen++; seen == stopAfter {
				cancel()
			}
		})
		cancel()
		if tries++; err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if _, err := teststores.Open(t.Context(), to, 0); err == nil || !strings.Contains(err.Error(), "run enlist copy again") {
			t.Fatalf("a target that is not done opens: %v", err)
		}
	}
	if tries < 4 {
		t.Errorf("%d tries", tries)
	}
	compare(t, from, to, lists)
}

func TestRefuses(t *testing.T) {
	from := teststores.SQLite.New(t)
	fill(t, from, 10)
	refused := func(t *testing.T, to, why string) {
		t.Helper()
		if _, err := run(t.Context(), from, to, 0, nil); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("error %v, want %q", err, why)
		}
	}
	t.Run("a target with tables of another program", func(t *testing.T) {
		to := pgtest.Open(t)
		execute(t, to, "CREATE TABLE users (id INTEGER)")
		refused(t, to, "another program")
	})
	t.Run("a target in use", func(t *testing.T) {
		to := pgtest.Open(t)
		s := openShop(t, to)
		value(s.service.AddAccount(t.Context(), audience.AccountDetails{Name: "Mine", TimeZone: "UTC", ContactLimit: 5}))(s)
		s.close()
		refused(t, to, "table account is not empty")
	})
	t.Run("a copy that is done", func(t *testing.T) {
		to := pgtest.Open(t)
		if _, err := run(t.Context(), from, to, 0, nil); err != nil {
			t.Fatal(err)
		}
		refused(t, to, "table account is not empty")
	})
	t.Run("a source that is served", func(t *testing.T) {
		s := openShop(t, from)
		defer s.close()
		refused(t, pgtest.Open(t), "stop the service")
	})
	t.Run("two copies at once", func(t *testing.T) {
		to := pgtest.Open(t)
		target, err := postgres.OpenTarget(t.Context(), to)
		if err != nil {
			t.Fatal(err)
		}
		defer target.Close()
		refused(t, to, "another enlist copy")
	})
}

// What is written to either side while a copy is broken off is found out.
func TestFindsDifferences(t *testing.T) {
	for name, test := range map[string]struct{ source, target, why string }{
		"a row gone from the source":      {"DELETE FROM contact WHERE id = 1", "", "the source has changed"},
		"a row changed in the source":     {"UPDATE account SET name = 'other'", "", "verify account"},
		"a row changed in the target":     {"", "UPDATE account SET name = 'Ä'", "verify account"},
		"a row gone from the target":      {"", "DELETE FROM account", "verify account"},
		"a row added to a table not read": {"", "INSERT INTO secret VALUES ('x', '\\x00')", "verify secret"},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := teststores.SQLite.New(t), pgtest.Open(t)
			fill(t, from, 10)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if _, err := run(ctx, from, to, 1, func(s dbcopy.Step) {
				if s.Table == "contact" && s.Rows == 3 {
					cancel()
				}
			}); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if test.source != "" {
				if _, err := rawSQLite(t, from).Exec(test.source); err != nil {
					t.Fatal(err)
				}
			}
			if test.target != "" {
				execute(t, to, test.target)
			}
			if _, err := run(t.Context(), from, to, 0, nil); err == nil || !strings.Contains(err.Error(), test.why) {
				t.Errorf("error %v, want %q", err, test.why)
			}
		})
	}
}

func execute(t *testing.T, to, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// compare reads everything through the stores on both sides.
func compare(t *testing.T, from, to string, lists []audience.ListID) {
	t.Helper()
	old, copied := openShop(t, from), openShop(t, to)
	defer old.close()
	defer copied.close()
	want, got := old.everything(lists), copied.everything(lists)
	for name := range want {
		if diff := cmp.Diff(want[name], got[name], cmpopts.IgnoreUnexported(audience.Schema{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-source +target):\n%s", name, strings.ReplaceAll(diff, "\u00a0", " "))
		}
	}
	db := rawSQLite(t, from)
	conn, err := pgx.Connect(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for table := range strings.FieldsSeq("account api_key autoresponder catalogue consent contact delivery field folder link list message preference retry river_job secret unsubscriber webhook webhook_event webhook_target") {
		var here, there int
		if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&here); err != nil {
			t.Fatal(err)
		}
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&there); err != nil {
			t.Fatal(err)
		}
		if here == 0 || here != there {
			t.Errorf("%s has %d rows here and %d there", table, here, there)
		}
	}
}

func (s *shop) jobs() []jobs.Job {
	s.Helper()
	queue := value(s.store.Jobs(&river.Config{}))(s)
	all := value(jobs.List(s.Context(), queue, jobs.Filter{}))(s)
	for i := range all { // the engines space it differently
		var about any
		s.must(json.Unmarshal([]byte(all[i].About), &about))
		all[i].About = fmt.Sprint(about)
	}
	return all
}

// everything is what there is to be read, by what it is.
func (s *shop) everything(lists []audience.ListID) map[string]any {
	s.Helper()
	ctx, all := s.Context(), make(map[string]any)
	all["accounts"] = value(s.service.Accounts(ctx))(s)
	all["keys"] = value(s.service.Keys(ctx))(s)
	all["jobs"] = s.jobs()
	all["link key"] = value(s.service.LinkKey(ctx))(s)
	all["lists"] = value(s.service.SearchLists(ctx, s.caller, audience.Query{}))(s)
	all["message"] = value(s.service.Message(ctx, s.caller, 1))(s)
	all["consents"] = value(s.service.ContactConsents(ctx, s.caller, lists[0], 3, 0, 0))(s)
	account := s.caller.Account.ID
	s.must(s.store.View(ctx, func(tx audience.Tx) error {
		put := func(name string, v any, err error) {
			s.must(err)
			all[name] = v
		}
		v, err := tx.Folders(account)
		put("folders", v, err)
		autoresponders, err := tx.Autoresponders(account)
		put("autoresponders", autoresponders, err)
		webhooks, err := tx.Webhooks(account)
		put("webhooks", webhooks, err)
		target, err := tx.WebhookTarget(1)
		put("target", target, err)
		events, err := tx.WebhookEvents(1, 0, 1000)
		put("events", events, err)
		asked, err := tx.BouncesSince(lists[0], 1)
		put("bounces", asked, err)
		waits, err := tx.IsSubscriptionPending(lists[0], 1)
		put("waits", waits, err)
		var gone []audience.Unsubscriber
		err = tx.Unsubscribers(account, 0, func(u *audience.Unsubscriber) error { gone = append(gone, *u); return nil })
		put("unsubscribers", gone, err)
		message, url, err := tx.LinkTarget(1)
		put("link", fmt.Sprint(message, url), err)
		for _, list := range lists {
			s.contacts(tx, list, put)
		}
		return nil
	}))
	return all
}

func (s *shop) contacts(tx audience.Tx, list audience.ListID, put func(string, any, error)) {
	schema, err := tx.Schema(list)
	put(fmt.Sprint("schema ", list), schema, err)
	last, err := tx.LastContactID(list)
	s.must(err)
	for id := audience.ContactID(1); id <= last; id++ {
		contact, err := tx.Contact(list, id)
		if audience.KindOf(err) == audience.NoContact {
			continue
		}
		put(fmt.Sprint("contact ", id), contact, err)
		ledger, err := tx.LedgerRows(list, id, 0, 0)
		put(fmt.Sprint("ledger ", list, id), ledger, err)
		deliveries, err := tx.Deliveries(list, id, 0)
		for i := range deliveries {
			deliveries[i].Detail = strings.ReplaceAll(deliveries[i].Detail, "\x00", "\uFFFD")
		}
		put(fmt.Sprint("deliveries ", list, id), deliveries, err)
	}
}
