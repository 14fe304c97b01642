package sqlite

import (
	"strings"
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, storetest.Engine{
		Open: func(t *testing.T) audience.Store { return open(t) },
		Jobs: func(t *testing.T, s audience.Store, kind string) (n int) {
			t.Helper()
			err := s.(*Store).db.QueryRowContext(t.Context(), "SELECT count(*) FROM river_job WHERE kind = ? AND state = 'available'", kind).Scan(&n)
			if err != nil {
				t.Fatal(err)
			}
			return n
		},
	})
}

func TestSearch(t *testing.T) {
	storetest.Search(t, func(t *testing.T) audience.Store { return open(t) })
}

// decisions.md: 27
func TestTheLedgerIsAppendOnly(t *testing.T) {
	s := open(t)
	err := s.Update(t.Context(), func(tx audience.Tx) error {
		return tx.AddLedgerRow(&audience.LedgerRow{ListID: 1, ContactID: 1, Text: "yes"})
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.db.ExecContext(t.Context(), "UPDATE consent SET text = 'no'")
	if err == nil || !strings.Contains(err.Error(), "append-only") {
		t.Errorf("changing a ledger row: error %v", err)
	}
}
