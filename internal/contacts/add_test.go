package contacts

import (
	"testing"

	"enlist/internal/enlist"
)

// In a List with very many Fields, addContacts parses few rows before each transaction.
func TestRowsWithManyValuesAreLookedUpInSmallParts(t *testing.T) {
	for _, c := range []struct{ rows, values, want int }{
		{5000, 10, viewBatch}, {5000, 990, 11}, {5000, BulkValues, 1}, {100, 1, 100},
	} {
		a := addCall{AddRequest: AddRequest{Contacts: make([][]enlist.Detail, c.rows)}}
		for i := range a.Contacts {
			a.Contacts[i] = make([]enlist.Detail, c.values)
			if i > viewBatch { // enough for one look-up
				break
			}
		}
		if end := a.endOfLookUp(0); end != c.want {
			t.Errorf("of %d rows with %d values, %d are looked up, want %d", c.rows, c.values, end, c.want)
		}
	}
}
