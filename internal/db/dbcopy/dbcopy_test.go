package dbcopy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbcopy"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/jobqueue"
	"enlist/internal/db/pgtest"
	"enlist/internal/db/postgres"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/jobs"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/webhooks"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
)

// The tests in this file copy from SQLite to PostgreSQL. They read both databases through the
// stores and compare the results. copies_test.go copies between the other engines.

func TestMain(m *testing.M) { pgtest.Main(m, func() error { return goleak.Find() }) }

// run copies the SQLite file from into the PostgreSQL database to. It returns after PostgreSQL has ended the session of
// the copy and released its lock, so that the next copy can start.
func run(ctx context.Context, from, to string, report func(dbcopy.Step)) (r dbcopy.Result, err error) {
	source, err := sqlite.OpenSource(ctx, from)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := postgres.OpenTarget(ctx, to)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, target.Close(), awaitUnlocked(to)) }()
	return (&dbcopy.Copier{From: source, To: target, Report: report}).Run(ctx)
}

// awaitUnlocked waits until no copy holds the advisory lock of copies. The number of the lock is
// "copy" in ASCII.
func awaitUnlocked(to string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, to)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "SELECT pg_advisory_lock(x'636f7079'::int); SELECT pg_advisory_unlock(x'636f7079'::int)")
	return errors.Join(err, conn.Close(ctx))
}

// In the source, a webhook target has the holder 5000, which is the ID of a job. So new jobs in the
// copy must have higher IDs.
func TestACopyHasTheSameDataAndContinuesItsIDs(t *testing.T) {
	t.Parallel()
	from, to := dbtest.SQLite.New(t), pgtest.Open(t)
	lists := fillDatabase(t, from, 60)
	result, err := run(t.Context(), from, to, nil)
	if err != nil {
		t.Fatal(err)
	}
	if result.Changed != 1 || result.Tables < 20 {
		t.Errorf("the result of the copy is %+v, want 1 changed row and at least 20 tables", result)
	}
	compareStores(t, from, to, lists)

	s := openService(t, to)
	defer s.close()
	var lastContact, lastJob int64
	db := rawSQLite(t, from)
	s.must(db.QueryRow("SELECT seq FROM sqlite_sequence WHERE name = 'contact'").Scan(&lastContact))
	s.must(db.QueryRow("SELECT max(id) FROM river_job").Scan(&lastJob))
	id := value(s.service.Contacts.Subscribe(t.Context(), s.caller, contacts.SubscribeRequest{List: lists[0],
		Details: details("Email", "new@example.com", "Amount", "3"), Consent: contacts.Consent{Type: enlist.ConsentGDPR, Text: "yes"}}))(s)
	if int64(id) != lastContact+1 {
		t.Errorf("the next Contact has ID %d, want %d + 1", id, lastContact)
	}
	for _, job := range s.jobs() {
		if job.ID > lastJob && job.ID <= 5000 {
			t.Errorf("a new job has ID %d, want more than 5000, which is the holder of a webhook target", job.ID)
		}
	}
	n := value(s.service.Contacts.CountContacts(t.Context(), s.caller, lists[0], &enlist.Criteria{Key: "Amount", Operator: "equals",
		Value: enlist.Input{Kind: enlist.InputNumber, Text: "12.5"}}))(s)
	if n == 0 {
		t.Error("the search for the amount 12.5 found no Contact")
	}
}

// An interrupted copy can be resumed, wherever it was interrupted. A
// server refuses to open the target before the copy is complete.
func TestAnInterruptedCopyResumesAndItsTargetStaysClosed(t *testing.T) {
	t.Parallel()
	from, to := dbtest.SQLite.New(t), dbtest.Postgres.New(t)
	lists := fillDatabase(t, from, 40)
	for _, stopAfter := range []int{1, 40, 80} {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		_, err := run(ctx, from, to, func(s dbcopy.Step) {
			if seen++; seen == stopAfter {
				cancel()
			}
		})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("a copy that was cancelled after %d reports: error %v, want context.Canceled", stopAfter, err)
		}
		if _, err := dbtest.Open(t.Context(), to, 0); err == nil || !strings.Contains(err.Error(), "run enlist copy again") {
			t.Fatalf("Open of an incomplete target: error %v, want one that says to run enlist copy again", err)
		}
	}
	if _, err := run(t.Context(), from, to, nil); err != nil {
		t.Fatal(err)
	}
	compareStores(t, from, to, lists)
}

func TestCopyRefusesADatabaseInUse(t *testing.T) {
	if testing.Short() {
		t.Skip("copies whole databases: run it with \"make check\"")
	}
	t.Parallel()
	from := dbtest.SQLite.New(t)
	fillDatabase(t, from, 10)
	refused := func(t *testing.T, to, why string) {
		t.Helper()
		if _, err := run(t.Context(), from, to, nil); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("the copy returns the error %v, want one that contains %q", err, why)
		}
	}
	t.Run("the target has tables of another program", func(t *testing.T) {
		to := pgtest.Open(t)
		execPostgres(t, to, "CREATE TABLE users (id INTEGER)")
		refused(t, to, "another program")
	})
	t.Run("the target has an Account", func(t *testing.T) {
		to := dbtest.Postgres.New(t)
		s := openService(t, to)
		value(s.service.Accounts.AddAccount(t.Context(), accounts.AccountDetails{Name: "Mine", TimeZone: "UTC", ContactLimit: 5}))(s)
		s.close()
		refused(t, to, "table account is not empty")
	})
	t.Run("the target is a complete copy", func(t *testing.T) {
		to := dbtest.Postgres.New(t)
		if _, err := run(t.Context(), from, to, nil); err != nil {
			t.Fatal(err)
		}
		refused(t, to, "table account is not empty")
	})
	t.Run("a server has the source open", func(t *testing.T) {
		s := openService(t, from)
		defer s.close()
		refused(t, dbtest.Postgres.New(t), "stop the service")
	})
	t.Run("another copy has the target open", func(t *testing.T) {
		to := dbtest.Postgres.New(t)
		target, err := postgres.OpenTarget(t.Context(), to)
		if err != nil {
			t.Fatal(err)
		}
		defer target.Close()
		refused(t, to, "another enlist copy")
	})
}

// Another program writes to one of the databases between two runs of a copy. The second run detects
// this.
func TestAResumedCopyDetectsChangesToEitherDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("copies whole databases: run it with \"make check\"")
	}
	for _, test := range []struct{ name, source, target, why string }{
		{"a row deleted from the source", "DELETE FROM contact WHERE id = 1", "", "verify contact"},
		{"a row changed in the source", "UPDATE account SET name = 'other'", "", "verify account"},
		{"a row changed in the target", "", "UPDATE account SET name = 'Ä'", "verify account"},
		{"a row deleted from the target", "", "DELETE FROM account", "verify account"},
		{"a row added to a table that is not copied yet", "", "INSERT INTO secret VALUES ('x', '\\x00')", "verify secret"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			from, to := dbtest.SQLite.New(t), dbtest.Postgres.New(t)
			fillDatabase(t, from, 10)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if _, err := run(ctx, from, to, func(s dbcopy.Step) {
				if s.Table == "contact" && s.Done {
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
				execPostgres(t, to, test.target)
			}
			if _, err := run(t.Context(), from, to, nil); err == nil || !strings.Contains(err.Error(), test.why) {
				t.Errorf("the copy returns the error %v, want one that contains %q", err, test.why)
			}
		})
	}
}

func execPostgres(t *testing.T, to, statement string) {
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

// compareStores compares all data that the two stores return, and then the row counts of all
// tables.
func compareStores(t *testing.T, from, to string, lists []enlist.ListID) {
	t.Helper()
	old, copied := openService(t, from), openService(t, to)
	defer old.close()
	defer copied.close()
	want, got := old.readAll(lists), copied.readAll(lists)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if diff := cmp.Diff(want[name], got[name], cmpopts.IgnoreUnexported(enlist.Schema{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-source +target):\n%s", name, strings.ReplaceAll(diff, "\u00a0", " "))
		}
	}
	db := rawSQLite(t, from)
	conn, err := pgx.Connect(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	const tables = `account api_key asked_mailbox autoresponder catalogue consent contact delivery departure field folder form form_day link list message
		preference queue_age retry river_job secret segment sending_domain setting unsubscriber webhook webhook_event webhook_target`
	for table := range strings.FieldsSeq(tables) {
		var inSource, inTarget int
		if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&inSource); err != nil {
			t.Fatal(err)
		}
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&inTarget); err != nil {
			t.Fatal(err)
		}
		if inSource == 0 || inSource != inTarget {
			t.Errorf("table %s has %d rows in the source and %d in the target, want an equal number above 0", table, inSource, inTarget)
		}
	}
}

// jobs returns all jobs with their arguments in a form that does not depend on the database.
func (s *testService) jobs() []jobs.Job {
	s.Helper()
	queue := value(s.store.Jobs(&jobqueue.Config{}))(s)
	all := value(jobs.List(s.Context(), queue, jobs.Filter{}))(s)
	for i := range all { // SQLite and PostgreSQL write different spaces in JSON, and SQLite stores milliseconds
		all[i].Created, all[i].Next = all[i].Created.Round(time.Millisecond), all[i].Next.Round(time.Millisecond)
		var about any
		s.must(json.Unmarshal([]byte(all[i].About), &about))
		all[i].About = fmt.Sprint(about)
	}
	return all
}

// readAll returns all data that the store can read, by the name of the kind of data.
func (s *testService) readAll(lists []enlist.ListID) map[string]any {
	s.Helper()
	ctx, all := s.Context(), make(map[string]any)
	all["accounts"] = value(s.service.Accounts.AllAccounts(ctx))(s)
	all["keys"] = value(s.service.Accounts.Keys(ctx))(s)
	all["jobs"] = s.jobs()
	all["sending domains"] = value(s.service.Accounts.SendingDomains(ctx))(s)
	all["link key"] = value(s.service.Messages.LinkKey(ctx))(s)
	all["lists"] = value(s.service.Lists.SearchLists(ctx, s.caller, enlist.Query{}))(s)
	all["segments"] = value(s.service.Contacts.SearchSegments(ctx, s.caller, lists[0], enlist.Query{}))(s)
	all["forms"] = value(s.service.Forms.SearchForms(ctx, s.caller, lists[0], enlist.Query{}))(s)
	all["departures"] = value(s.service.Contacts.Departures(ctx, s.caller, lists[0]))(s)
	all["message"] = value(s.service.Messages.Message(ctx, s.caller, 1))(s)
	account := s.caller.Account.ID
	s.must(s.store.View(ctx, func(tx *db.Tx) error {
		put := func(name string, v any, err error) {
			s.must(err)
			all[name] = v
		}
		v, err := accounts.Folders(tx, account)
		put("folders", v, err)
		consents, err := contacts.LedgerRows(tx, lists[0], 3, 0, 0)
		put("consents", consents, err)
		autoresponders, err := batches.Autoresponders(tx, account)
		put("autoresponders", autoresponders, err)
		found, err := webhooks.Webhooks(tx, account)
		put("webhooks", found, err)
		target, err := events.LoadWebhookTarget(tx, 1)
		put("target", target, err)
		several, err := events.WebhookEvents(tx, 1, 0, 1000)
		put("events", several, err)
		since, err := contacts.BouncesSince(tx, lists[0], 1)
		put("bounces since", since, err)
		pending, err := contacts.IsSubscriptionPending(tx, lists[0], 1)
		put("subscription pending", pending, err)
		var unsubscribers []contacts.Unsubscriber
		err = contacts.Unsubscribers(tx, &contacts.UnsubscriberSearch{Account: account}, func(u *contacts.Unsubscriber) error {
			unsubscribers = append(unsubscribers, *u)
			return nil
		})
		put("unsubscribers", unsubscribers, err)
		message, url, err := messages.LinkTarget(tx, 1)
		put("link", fmt.Sprint(message, url), err)
		for _, list := range lists {
			s.contacts(tx, list, put)
		}
		return nil
	}))
	return all
}

// contacts reads each Contact of a List, with its ledger rows and its deliveries. It passes them to
// the function put.
func (s *testService) contacts(tx *db.Tx, list enlist.ListID, put func(string, any, error)) {
	schema, err := lists.Schema(tx, list)
	put(fmt.Sprint("schema ", list), schema, err)
	last, err := contacts.LastContactID(tx, list)
	s.must(err)
	for id := enlist.ContactID(1); id <= last; id++ {
		contact, err := contacts.ByID(tx, list, id)
		if enlist.KindOf(err) == enlist.NoContact {
			continue
		}
		put(fmt.Sprint("contact ", id), contact, err)
		ledger, err := contacts.LedgerRows(tx, list, id, 0, 0)
		put(fmt.Sprint("ledger ", list, id), ledger, err)
		deliveries, err := messages.Deliveries(tx, list, id, 1000, 0)
		for i := range deliveries {
			deliveries[i].Detail = strings.ReplaceAll(deliveries[i].Detail, "\x00", "\uFFFD")
		}
		put(fmt.Sprint("deliveries ", list, id), deliveries, err)
	}
}
