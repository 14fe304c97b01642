package postgres

import (
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/storetest"
)

// Contacts by the thousand, and random calls compared with a plain model.
func TestBulk(t *testing.T) {
	storetest.Bulk(t, func(t *testing.T) audience.Store { return open(t) })
}
