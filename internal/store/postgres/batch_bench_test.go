package postgres

import (
	"testing"

	"enlist/internal/store/storetest"
)

// BenchmarkBatchEvents measures opens of mails, and the report of a Batch.
func BenchmarkBatchEvents(b *testing.B) {
	storetest.BenchBatch(b, openAt(b, database(b), Options{}))
}
