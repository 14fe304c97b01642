package storetest

import (
	"testing"

	"enlist/internal/db"
	"enlist/internal/db/dbtest"

	"go.uber.org/goleak"
)

// This file runs the suites on each engine. The tests of a suite run in parallel.

func TestMain(m *testing.M) { dbtest.Main(m, func() error { return goleak.Find() }) }

// onEachEngine runs a suite on each engine.
func onEachEngine(t *testing.T, suite func(*testing.T, Engine)) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		suite(t, Engine{
			Name:   e.Name,
			Open:   func(t *testing.T) db.Engine { return e.Own(t) },
			Shared: func(t *testing.T) db.Engine { return e.Shared(t) },
			Jobs: func(t *testing.T, s db.Engine, kind string) int {
				return s.(*dbtest.Store).Waiting(t, kind)
			},
		})
	})
}

// In one part of the suite, 64 concurrent clients subscribe the same addresses, fill an Account to its limit, and repeat
// one call.
//
// covers: spec subscribeContact.rule.8, limit.contacts, idempotency, webhook.deletion
// covers: spec event.effects, idempotency, limit.contacts, event.confirm, decision 24, 43, 51, 52, 89, 90, 99, 103, 104
// covers: decision 105, 106, 118, 123
func TestStore(t *testing.T) { onEachEngine(t, runStore) }

// The suite changes Lists, Fields, preferences, Folders and Messages.
//
// covers: spec auth.restricted, addList.fields, field.record, name.rule, list.on_register_address, list.id
// covers: spec subscribeContact.rule.6, folder.first, decision 24, 54, 110
// covers: spec auth.restricted, list.id, addList.fields, addField.addresses, addField.attributes, editField.retype, name.rule, clearList.kept
func TestDefinitions(t *testing.T) { onEachEngine(t, runDefinitions) }

// The suite searches random Contacts with random criteria and compares the results with a simple model.
//
// covers: spec op.exactly, op.not, op.greater_than, op.less_than, op.in, op.starts_with, op.ends_with, op.contains
// covers: spec compare.batch, decision 61
// covers: spec compare.int, compare.bool, compare.number, compare.date, compare.email, compare.mobile, compare.text
// covers: spec search.connectors, op.in, compare, sort.by, page.limit, searchContacts.rule.1
func TestSearch(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e Engine) { Search(t, e.Shared) })
}

// The suite tests calls that change many Contacts. It compares the results of random calls with a simple
// model. It makes calls fail between any two Updates, runs calls concurrently, and reaches the limit of
// Contacts.
//
// covers: spec bulk.steps, addContacts.limit, deleteContacts.kept, decision 53
func TestBulk(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e Engine) {
		skipSlow(t, e)
		runBulk(t, e.Open)
	})
}

// The suite populates Batches, leases slices of them as senders do, and stores all kinds of results.
//
// covers: spec batch.populations, batch.once, batch.counts, batch.status, batch.exclude, batch.rate, batch.pace
// covers: spec batch.sender, batch.local_time, batch.check, decision 59, 62, 63, 78, 91, 101, 102, 110
func TestBatches(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e Engine) { runBatches(t, e.Open) })
}

// The suite opens mails and clicks links as persons and programs do, and compares the sums with the recipients' events.
//
// covers: spec batch.events, batch.human, decision 60, decision 76, decision 101, decision 102, decision 105, decision 106, decision 117
func TestBatchEvents(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e Engine) { runBatchEvents(t, e.Open) })
}

// The suite sends variants to a part of the recipients and the winner to the others.
//
// covers: spec batch.variants, batch.editions, decision 77, decision 79
func TestBatchVariants(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e Engine) { runBatchVariants(t, e.Open) })
}

// The suite reads the recipients of Batches by kind of event, in pages and at once.
//
// covers: spec batch.rows, batch.keyset, decision 61
func TestBatchRows(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e Engine) { runBatchRows(t, e.Open) })
}

// covers: spec files.upload, files.limits, files.name, files.type, files.used, message.files, decision 64, decision 65
func TestFiles(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e Engine) { runFiles(t, e.Open) })
}

// The suite imports files with all kinds of rows and options, and interrupts imports at each of their Updates.
//
// covers: spec import.options, import.columns, import.cells, import.addfields, import.keys, import.outcomes, import.consent, import.as, import.states, import.access
// covers: decision 69, decision 70, decision 71, decision 96
func TestImports(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e Engine) { runImports(t, e.Open) })
}

// The suite tests which indexes the advisor builds and drops.
//
// covers: decision 56
func TestSearchIndexes(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e Engine) {
		skipSlow(t, e)
		runSearchIndexes(t, e)
	})
}

// skipSlow skips a suite in short tests on PostgreSQL, where it takes a tenth of the time of all tests.
func skipSlow(t *testing.T, e Engine) {
	if testing.Short() && e.Name != dbtest.SQLite.Name {
		t.Skip(`slow on PostgreSQL: run it with "make check"`)
	}
}

// BenchmarkBatchEvents measures opens of mails, and the report of a Batch.
func BenchmarkBatchEvents(b *testing.B) { benchEachEngine(b, benchBatch) }

// BenchmarkImport measures imports of files.
func BenchmarkImport(b *testing.B) { benchEachEngine(b, benchImport) }

func benchEachEngine(b *testing.B, bench func(*testing.B, db.Engine)) {
	for _, e := range []dbtest.Engine{dbtest.SQLite, dbtest.Postgres} {
		b.Run(e.Name, func(b *testing.B) { bench(b, e.Own(b)) })
	}
}
