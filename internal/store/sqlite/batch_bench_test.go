package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"enlist/internal/store/sqlite"
	"enlist/internal/store/storetest"
)

// BenchmarkBatchEvents measures opens of mails, and the report of a Batch.
func BenchmarkBatchEvents(b *testing.B) {
	store, err := sqlite.Open(context.Background(), filepath.Join(b.TempDir(), "enlist.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	storetest.BenchBatch(b, store)
}

// BenchmarkImport measures imports of files.
func BenchmarkImport(b *testing.B) {
	store, err := sqlite.Open(context.Background(), filepath.Join(b.TempDir(), "enlist.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	storetest.BenchImport(b, store)
}
