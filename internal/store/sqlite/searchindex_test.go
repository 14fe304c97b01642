package sqlite

import (
	"context"
	"errors"
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/storetest"
)

// The indexes that searches get by themselves.
//
// covers: decision 56
func TestSearchIndexes(t *testing.T) { storetest.SearchIndexes(t, engine) }

// A process that stops does not wait for an index; what is left is nothing.
func TestBuildIndexIsBrokenOff(t *testing.T) {
	s := open(t)
	ctx, stop := context.WithCancel(t.Context())
	key := &audience.SearchKey{Name: "is_active", Type: audience.KeyBool}
	stop()
	if _, err := s.BuildIndex(ctx, 7, 1, key); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if built, err := s.BuiltIndexes(t.Context()); err != nil || len(built) > 0 {
		t.Errorf("built %v, error %v", built, err)
	}
	if _, err := s.BuildIndex(t.Context(), 7, 1, key); err != nil {
		t.Error(err)
	}
	var store string
	if err := s.db.QueryRowContext(t.Context(), "PRAGMA temp_store").Scan(&store); err != nil || store != "2" {
		t.Errorf("temp_store %s, error %v", store, err)
	}
}
