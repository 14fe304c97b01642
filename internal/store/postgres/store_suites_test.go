package postgres

import (
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/storetest"
)

// This file runs suites of storetest.

// The suite adds thousands of Contacts, and compares the results of random calls with a
// simple model.
func TestBulkSuite(t *testing.T) {
	if testing.Short() {
		t.Skip(`slow on PostgreSQL: run it with "make check"`)
	}
	storetest.Bulk(t, func(t *testing.T) audience.Store { return open(t) })
}

// The suite populates Batches, leases slices of them as senders do, and stores all kinds of results.
func TestBatches(t *testing.T) {
	storetest.Batches(t, func(t *testing.T) audience.Store { return open(t) })
}

func TestFiles(t *testing.T) {
	storetest.Files(t, func(t *testing.T) audience.Store { return open(t) })
}

// The suite opens mails and clicks links as persons and programs do, and compares the sums with the recipients' events.
func TestBatchEvents(t *testing.T) {
	storetest.BatchEvents(t, func(t *testing.T) audience.Store { return open(t) })
}

// The suite sends variants to a part of the recipients and the winner to the others.
func TestBatchVariants(t *testing.T) {
	storetest.BatchVariants(t, func(t *testing.T) audience.Store { return open(t) })
}

// The suite reads the recipients of Batches by kind of event, in pages and at once.
func TestBatchRows(t *testing.T) {
	storetest.BatchRows(t, func(t *testing.T) audience.Store { return open(t) })
}

// The suite imports files with all kinds of rows and options, and interrupts imports at each of their Updates.
func TestImports(t *testing.T) {
	storetest.Imports(t, func(t *testing.T) audience.Store { return open(t) })
}
