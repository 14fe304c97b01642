package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"
)

// timed is a Store that measures the longest time that one function of an Update takes.
type timed struct {
	db.Engine
	longest atomic.Int64
}

func (s *timed) Update(ctx context.Context, fn func(*db.Tx) error) error {
	return s.Engine.Update(ctx, func(tx *db.Tx) error {
		started := time.Now()
		defer func() { s.longest.Store(max(s.longest.Load(), int64(time.Since(started)))) }()
		return fn(tx)
	})
}

// BenchmarkBulk measures calls for 5,000 Contacts with 10 Field values each. It reports two numbers:
// the Contacts per second, and the longest time of one Update. The second is important because other
// Updates wait during this time.
func BenchmarkBulk(b *testing.B) {
	for _, keyed := range []bool{false, true} {
		for _, call := range []string{"add", "there", "overwrite", "skip", "edit", "rekey", "delete", "where"} {
			b.Run(fmt.Sprintf("%s/keyed=%v", call, keyed), func(b *testing.B) { benchBulk(b, call, keyed) })
		}
	}
}

func benchBulk(b *testing.B, call string, keyed bool) {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "enlist.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	s := &timed{Engine: store}
	u := bulkBench{B: b, service: app.New(s, time.Now)}
	u.caller, u.list, u.fields = benchList(b, store)
	u.ids = u.add(benchRows("a", u.fields))
	longest := int64(0)
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		caller := *u.caller
		if keyed {
			caller.Retry = &enlist.Retry{Header: fmt.Sprint(i)}
		}
		run := u.prepare(call, &caller, i)
		s.longest.Store(0)
		b.StartTimer()
		if err := run(); err != nil {
			b.Fatal(err)
		}
		longest = max(longest, s.longest.Load())
	}
	b.ReportMetric(float64(contacts.MaxRows)*float64(b.N)/b.Elapsed().Seconds(), "contacts/s")
	b.ReportMetric(float64(longest)/1e6, "longest-ms")
}

// bulkBench has a List with MaxRows Contacts.
type bulkBench struct {
	*testing.B
	service *app.App
	caller  *enlist.Caller
	list    enlist.ListID
	fields  []string
	ids     []enlist.ContactID
}

// add adds Contacts to the List and returns their IDs.
func (u *bulkBench) add(rows [][]enlist.Detail) []enlist.ContactID {
	ids, err := u.service.Contacts.AddContacts(context.Background(), u.caller, contacts.AddRequest{List: u.list, Contacts: rows})
	if err != nil {
		u.Fatal(err)
	}
	return ids
}

// prepare stores the Contacts that the call needs and returns the call to measure.
func (u *bulkBench) prepare(call string, caller *enlist.Caller, i int) func() error {
	ctx := context.Background()
	add := contacts.AddRequest{List: u.list, Overwrite: call == "overwrite"}
	edit := contacts.EditRequest{List: u.list}
	remove := contacts.DeleteRequest{List: u.list}
	switch call {
	case "there", "overwrite", "skip":
		add.Contacts = benchRows("a", u.fields)
	case "edit", "rekey":
		for j, id := range u.ids {
			detail := text(u.fields[0], fmt.Sprint(i))
			if call == "rekey" {
				detail = text("Email", fmt.Sprintf("%d-%d@example.com", j, i))
			}
			edit.Contacts = append(edit.Contacts, contacts.EditRow{ID: id, Details: []enlist.Detail{detail}})
		}
		return func() error { _, err := u.service.Contacts.EditContacts(ctx, caller, edit); return err }
	case "delete", "where":
		remove.Contacts = u.add(benchRows(fmt.Sprint("b", i), u.fields))
		if call == "where" {
			remove.Query.Criteria = &enlist.Criteria{Key: "Email", Operator: "starts_with", Value: text("", "b").Value}
		}
		return func() error { _, err := u.service.Contacts.DeleteContacts(ctx, caller, remove); return err }
	default:
		add.Contacts = benchRows(fmt.Sprint("b", i), u.fields)
	}
	if call == "skip" {
		add.Skip = contacts.SkipUnsubscribedFromAny
	}
	return func() error { _, err := u.service.Contacts.AddContacts(ctx, caller, add); return err }
}

// benchRows returns MaxRows rows with 10 values each. The multiplication puts the addresses in a random order.
func benchRows(prefix string, fields []string) [][]enlist.Detail {
	rows := make([][]enlist.Detail, contacts.MaxRows)
	for i := range rows {
		rows[i] = []enlist.Detail{text("Email", fmt.Sprintf("%s%d@example.com", prefix, uint32(i)*2654435761))}
		for _, f := range fields {
			rows[i] = append(rows[i], text(f, "a value of some length"))
		}
	}
	return rows
}
