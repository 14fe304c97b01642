package postgres

import (
	"context"
	"fmt"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// BenchmarkBulk measures calls with 5,000 rows of 10 values each, from one caller: addContacts of new Contacts
// and with overwrite, editContacts of one value (edit) and of the address (rekey). To include the disk, set
// ENLIST_TEST_POSTGRES to the URL of a server that runs with fsync.
func BenchmarkBulk(b *testing.B) {
	for _, call := range []string{"add", "overwrite", "edit", "rekey"} {
		b.Run(call, func(b *testing.B) { benchBulk(b, call) })
	}
}

func benchBulk(b *testing.B, call string) {
	ctx := context.Background()
	service := app.New(openAt(b, database(b), Options{}), time.Now)
	first, err := service.Bootstrap(ctx, "")
	if err != nil {
		b.Fatal(err)
	}
	caller, err := service.Accounts.Operator(ctx, first.Account)
	if err != nil {
		b.Fatal(err)
	}
	for i := range 9 {
		_, err := service.Lists.AddField(ctx, caller, first.List,
			[]enlist.Detail{detail("name", fmt.Sprint("Field ", i)), detail("type", "text")})
		if err != nil {
			b.Fatal(err)
		}
	}
	ids, err := service.Contacts.AddContacts(ctx, caller, contacts.AddRequest{List: first.List, Contacts: benchRows(0, 0)})
	if err != nil {
		b.Fatal(err)
	}
	for n := 1; b.Loop(); n++ {
		b.StopTimer()
		add := contacts.AddRequest{List: first.List, Contacts: benchRows(int64(n)*contacts.MaxRows, 0)}
		if call == "overwrite" {
			add.Overwrite, add.Contacts = true, benchRows(0, n)
		}
		edit := contacts.EditRequest{List: first.List}
		for i, id := range ids {
			changed := detail("Field 0", fmt.Sprint(n))
			if call == "rekey" {
				changed = detail("Email", address(int64(n)*contacts.MaxRows+int64(i)))
			}
			edit.Contacts = append(edit.Contacts, contacts.EditRow{ID: id, Details: []enlist.Detail{changed}})
		}
		b.StartTimer()
		if call == "edit" || call == "rekey" {
			_, err = service.Contacts.EditContacts(ctx, caller, edit)
		} else {
			_, err = service.Contacts.AddContacts(ctx, caller, add)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(contacts.MaxRows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// benchRows returns MaxRows rows whose addresses begin at a number.
func benchRows(first int64, value int) [][]enlist.Detail {
	rows := make([][]enlist.Detail, contacts.MaxRows)
	for i := range rows {
		rows[i] = []enlist.Detail{detail("Email", address(first+int64(i)))}
		for j := range 9 {
			rows[i] = append(rows[i], detail(fmt.Sprint("Field ", j), fmt.Sprint("a value of some length ", value)))
		}
	}
	return rows
}
