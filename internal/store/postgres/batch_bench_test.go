package postgres

import (
	"testing"

	"enlist/internal/store/storetest"
)

// BenchmarkBatchEvents measures opens of mails, and the report of a Batch.
func BenchmarkBatchEvents(b *testing.B) {
	storetest.BenchBatch(b, openAt(b, database(b), Options{}))
}

// BenchmarkImport measures imports of files.
func BenchmarkImport(b *testing.B) {
	storetest.BenchImport(b, openAt(b, database(b), Options{}))
}
