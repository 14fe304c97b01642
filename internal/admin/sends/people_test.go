package sends

import (
	"net/url"
	"testing"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/people"
)

// The service refuses to sort more rows than mostSorted, so the page of a larger Batch does not ask for it.
func TestOnlyPeopleOfSmallerBatchesAreSorted(t *testing.T) {
	r := &ui.Request{Visit: &people.Visit{Caller: &enlist.Caller{Account: new(enlist.Account)}}}
	for recipients, want := range map[int64]string{mostSorted: "time", mostSorted + 1: ""} {
		b := &batches.Batch{BatchCounts: batches.BatchCounts{Recipients: recipients}}
		k, err := kindCalled("opened")
		if err != nil {
			t.Fatal(err)
		}
		if got := k.columns(r, b).Order(url.Values{"sort": {"time"}}, "").Key; got != want {
			t.Errorf("people of %d recipients are sorted by %q, want %q", recipients, got, want)
		}
	}
}
