package postgres

import (
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/storetest"
)

// The indexes that searches get by themselves.
func TestSearchIndexes(t *testing.T) {
	storetest.SearchIndexes(t, engine(func(t *testing.T) audience.Store { return open(t) }))
}
