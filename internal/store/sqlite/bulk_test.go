package sqlite

import (
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/storetest"
)

// The suite of the calls about many Contacts: random calls are compared with a plain
// model, and calls crash between any two Updates, run concurrently and reach the limit.
//
// covers: spec bulk.steps, addContacts.limit, deleteContacts.kept, decision 53
func TestBulk(t *testing.T) {
	storetest.Bulk(t, func(t *testing.T) audience.Store { return open(t) })
}
