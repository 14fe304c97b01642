package lists_test

import (
	"fmt"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// BenchmarkPageOfManyLists measures what a page of 1,000 Lists reads: the figures of all of them, and the days of 50.
func BenchmarkPageOfManyLists(b *testing.B) {
	apptest.Bench(b, func(b *testing.B, store db.Engine) {
		service := app.New(store, time.Now)
		first, err := service.Bootstrap(b.Context(), "")
		if err != nil {
			b.Fatal(err)
		}
		caller, err := service.Accounts.Operator(b.Context(), first.Account)
		if err != nil {
			b.Fatal(err)
		}
		ids := addDays(b, store, first.Account)
		for b.Loop() {
			if _, err := service.Lists.Growth(b.Context(), caller, 30); err != nil {
				b.Fatal(err)
			}
			if _, err := service.Lists.DaysOfLists(b.Context(), caller, ids[:50], 90); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// addDays adds 1,000 Lists with 90 days each.
func addDays(b *testing.B, store db.Engine, account enlist.AccountID) (ids []enlist.ListID) {
	err := store.Update(b.Context(), func(tx *db.Tx) error {
		ids = nil
		for i := range 1000 {
			l := enlist.List{AccountID: account, Name: fmt.Sprint("List ", i)}
			if err := lists.Insert(tx, &l); err != nil {
				return err
			}
			ids = append(ids, l.ID)
			for day := range 90 {
				at := enlist.DayOf(time.Now().AddDate(0, 0, -day).Unix(), "")
				err := tx.Do(`INSERT INTO list_day (list_id, day, contacts, added, confirmed, unsubscribed, bounced,
					complained, removed) VALUES (?, ?, 1, 1, 0, 0, 0, 0, 0)`, int64(l.ID), at)
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return ids
}
