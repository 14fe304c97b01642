package sqlite

import (
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/storetest"
)

// Random calls that add, edit, delete and subscribe against a plain model; calls
// that crash in each of their steps, run at once, or run against a limit.
//
// covers: spec bulk.steps, addContacts.limit, deleteContacts.kept, decision 53
func TestBulk(t *testing.T) {
	storetest.Bulk(t, func(t *testing.T) audience.Store { return open(t) })
}
