package backup

import (
	"testing"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/dbtest"
)

// A process that was stopped for longer than its lease stores its result, and does not end the lease of the process that
// makes a backup now.
//
// covers: decision 86
func TestLateBackupDoesNotEndTheLeaseOfAnother(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	d := &db.DB{Engine: dbtest.SQLite.Own(t), Now: func() time.Time { return now }}
	began := now
	first, err := claim(t.Context(), d, time.Minute)
	now = now.Add((backupLease + 1) * time.Second)
	second, secondErr := claim(t.Context(), d, time.Minute)
	if err != nil || secondErr != nil || first == 0 || second == 0 {
		t.Fatalf("the claims are %d and %d, errors %v and %v", first, second, err, secondErr)
	}
	for _, failure := range []string{"the file is gone", ""} {
		if err := finish(t.Context(), d, first, began, "late", failure); err != nil {
			t.Fatal(err)
		}
	}
	b, err := Last(t.Context(), d)
	if err != nil || b.Lease != second+backupLease || b.Error != "" || b.Name != "late" {
		t.Errorf("the state is %+v, error %v, want the lease of the second process and the backup of the first", b, err)
	}
}
