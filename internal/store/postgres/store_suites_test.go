package postgres

import (
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/storetest"
)

// This file runs the suites of storetest that take longest.

// The suite adds Contacts by the thousand and compares random calls with a simple model.
func TestBulkSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("the suite is long on PostgreSQL: make check runs it")
	}
	storetest.Bulk(t, func(t *testing.T) audience.Store { return open(t) })
}
