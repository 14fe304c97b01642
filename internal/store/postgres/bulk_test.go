package postgres

import (
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/storetest"
)

// Contacts by the thousand, and random calls compared with a plain model.
func TestBulk(t *testing.T) {
	if testing.Short() {
		t.Skip("the suite is long on PostgreSQL: make check runs it")
	}
	storetest.Bulk(t, func(t *testing.T) audience.Store { return open(t) })
}
