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
