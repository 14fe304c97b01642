package sqlite

import (
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/storetest"
)

// The suite tests calls that change many Contacts. It compares the results of random calls with a simple
// model. It makes calls fail between any two Updates, runs calls concurrently, and reaches the limit of
// Contacts.
//
// covers: spec bulk.steps, addContacts.limit, deleteContacts.kept, decision 53
func TestBulk(t *testing.T) {
	storetest.Bulk(t, func(t *testing.T) audience.Store { return open(t) })
}
