package sends

import (
	"fmt"
	"net/url"
	"testing"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/recipients"
	"enlist/internal/users"
)

// The page sorts the people of a page as the service has sorted all, so that the row that is one too many is the last. The
// service refuses to sort more rows than mostSorted, so those of a larger Batch stay as they are.
func TestPeopleAreSortedAsTheServiceDoes(t *testing.T) {
	r := &ui.Request{Visit: &users.Visit{Caller: &enlist.Caller{Account: new(enlist.Account)}}}
	r.Language = language.New().For(language.English, "")
	row := func(list enlist.ListID, address string, time int64) recipients.Row {
		return recipients.Row{Recipient: recipients.Recipient{List: list, Address: address}, Event: recipients.Event{Time: time}}
	}
	for _, c := range []struct {
		recipients  int64
		query, want string
	}{
		{mostSorted, "sort=contact_email", "a@x b@x max@x Mia@x"},
		{mostSorted, "sort=time", "a@x max@x Mia@x b@x"},
		{mostSorted, "sort=time&order=down", "b@x Mia@x max@x a@x"},
		{mostSorted + 1, "sort=time", "Mia@x b@x max@x a@x"},
		{mostSorted, "", "Mia@x b@x max@x a@x"},
	} {
		k, err := kindCalled("opened")
		if err != nil {
			t.Fatal(err)
		}
		q, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		b := &batches.Batch{Counts: recipients.Counts{Recipients: c.recipients}}
		rows := []recipients.Row{row(1, "Mia@x", 5), row(2, "b@x", 5), row(1, "max@x", 4), row(2, "a@x", 3)}
		k.columns(r, b).Sort(r.Language, q, "", rows)
		got := ""
		for i := range rows {
			got += fmt.Sprintf("%s ", rows[i].Address)
		}
		if got != c.want+" " {
			t.Errorf("%d recipients with %q: %s, want %s", c.recipients, c.query, got, c.want)
		}
	}
}
