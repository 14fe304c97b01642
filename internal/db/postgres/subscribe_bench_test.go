package postgres

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/enlist"

	"github.com/jackc/pgx/v5/pgxpool"
)

// The benchmark in this file compares Service.Subscribe with the fastest way to insert
// the row of a Contact.

// BenchmarkSubscribe measures Service.Subscribe with 10 Field values and a ledger row.
// The calls come from 16 and from 64 goroutines. The part "bare" inserts only the row
// of the same Contact, on the same server. The PostgreSQL server of the tests runs with
// fsync off. To include the disk, set ENLIST_TEST_POSTGRES to the URL of another
// server.
func BenchmarkSubscribe(b *testing.B) {
	for _, callers := range []int{16, 64} {
		b.Run(fmt.Sprintf("enlist/%d", callers), func(b *testing.B) { benchSubscribe(b, callers) })
		b.Run(fmt.Sprintf("bare/%d", callers), func(b *testing.B) { benchInsert(b, callers) })
	}
}

// parallel calls the function do b.N times in total. The parameter callers is the approximate
// number of goroutines.
func parallel(b *testing.B, callers int, do func(n int64) error) {
	b.SetParallelism(max(1, callers/runtime.GOMAXPROCS(0)))
	var n atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := do(n.Add(1)); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// address returns the address with the number n. Addresses with successive numbers are
// far apart in the index.
func address(n int64) string { return fmt.Sprintf("%d@example.com", uint32(n*2654435761)) }

// benchSubscribe measures Service.Subscribe.
func benchSubscribe(b *testing.B, callers int) {
	ctx := context.Background()
	s := openAt(b, database(b), Options{})
	service := app.New(s, time.Now)
	first, err := service.Bootstrap(ctx, "")
	if err != nil {
		b.Fatal(err)
	}
	caller, err := service.Accounts.Operator(ctx, first.Account)
	if err != nil {
		b.Fatal(err)
	}
	var names []string
	for i := range 8 {
		names = append(names, fmt.Sprintf("Field %d", i+1))
		_, err := service.Lists.AddField(ctx, caller, first.List, []enlist.Detail{detail("name", names[i]), detail("type", "text")})
		if err != nil {
			b.Fatal(err)
		}
	}
	parallel(b, callers, func(n int64) error {
		details := []enlist.Detail{detail("Email", address(n)), detail("Mobile Phone", fmt.Sprintf("+614%08d", n%100_000_000))}
		for _, name := range names {
			details = append(details, detail(name, "a value of some length"))
		}
		_, err := service.Contacts.Subscribe(ctx, caller, contacts.SubscribeRequest{List: first.List, Details: details})
		return err
	})
}

// benchInsert measures the INSERT of a Contact's row with pgx alone.
func benchInsert(b *testing.B, callers int) {
	ctx := context.Background()
	config, err := pgxpool.ParseConfig(database(b))
	if err != nil {
		b.Fatal(err)
	}
	config.MaxConns = int32(callers)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	parallel(b, callers, func(n int64) error {
		doc := fmt.Sprintf(`{"1":"%s","2":"+614%08d"`, address(n), n%100_000_000)
		for i := range 8 {
			doc += fmt.Sprintf(`,"%d":"a value of some length"`, i+3)
		}
		_, err := pool.Exec(ctx, insertBare, int64(1), address(n), fmt.Sprintf("+614%08d", n%100_000_000), int64(100), int64(100), "api", doc+"}")
		return err
	})
}

const insertBare = `INSERT INTO contact (list_id, dedupe_key, mobile_key, creation_time, last_modified_time, subscribed_via,
	double_opt_in, double_opt_in_time, is_active, is_bounce_deactivated, is_unsubscribed,
	last_click_time, last_message_time, last_open_time, webform_id, preference_values, field_values)
	VALUES ($1, $2, $3, $4, $5, $6, 0, 0, 1, 0, 0, 0, 0, 0, 0, '', $7)`

func detail(key, text string) enlist.Detail {
	return enlist.Detail{Key: key, Value: enlist.Input{Kind: enlist.InputText, Text: text}}
}
