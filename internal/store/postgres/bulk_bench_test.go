package postgres

import (
	"context"
	"fmt"
	"testing"
	"time"

	"enlist/internal/audience"
)

// BenchmarkAddContacts measures calls of addContacts with 5,000 rows of 10 values each, from one caller. To
// include the disk, set ENLIST_TEST_POSTGRES to the URL of a server that runs with fsync.
func BenchmarkAddContacts(b *testing.B) {
	ctx := context.Background()
	service := audience.NewService(openAt(b, database(b), Options{}), time.Now)
	first, err := service.Bootstrap(ctx, "")
	if err != nil {
		b.Fatal(err)
	}
	caller, err := service.Operator(ctx, first.Account)
	if err != nil {
		b.Fatal(err)
	}
	for i := range 9 {
		_, err := service.AddField(ctx, caller, first.List,
			[]audience.Detail{detail("name", fmt.Sprint("Field ", i)), detail("type", "text")})
		if err != nil {
			b.Fatal(err)
		}
	}
	for n := int64(0); b.Loop(); n += audience.MaxRows {
		b.StopTimer()
		r := audience.AddRequest{List: first.List, Contacts: make([][]audience.Detail, audience.MaxRows)}
		for i := range r.Contacts {
			r.Contacts[i] = []audience.Detail{detail("Email", address(n+int64(i)))}
			for j := range 9 {
				r.Contacts[i] = append(r.Contacts[i], detail(fmt.Sprint("Field ", j), "a value of some length"))
			}
		}
		b.StartTimer()
		if _, err := service.AddContacts(ctx, caller, r); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(audience.MaxRows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
