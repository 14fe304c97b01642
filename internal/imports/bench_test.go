package imports_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/imports"
)

// This file measures imports.

// BenchmarkImport measures imports of files.
func BenchmarkImport(b *testing.B) { apptest.Bench(b, benchImport) }

// benchImportRows is the number of rows of the measured file.
const benchImportRows = 50_000

// benchImport measures imports of rows with 10 Fields, dry and real.
func benchImport(b *testing.B, store db.Engine) {
	ctx := context.Background()
	service := app.New(store, time.Now)
	first, err := service.Bootstrap(ctx, "")
	if err != nil {
		b.Fatal(err)
	}
	caller, err := service.Accounts.Operator(ctx, first.Account)
	if err != nil {
		b.Fatal(err)
	}
	files := 0
	for _, dry := range []bool{true, false} {
		b.Run(fmt.Sprintf("dry=%t", dry), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				files++
				i, err := service.Imports.AddImport(ctx, caller, imports.NewImport{File: strings.NewReader(peopleFile(files)),
					ImportOptions: imports.ImportOptions{List: first.List, DryRun: dry, AddFields: true, FileName: "people.csv"}})
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if err := service.Imports.RunImport(ctx, i.ID); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				done, err := service.Imports.Import(ctx, caller, i.ID)
				if err != nil || done.Added != benchImportRows {
					b.Fatalf("the import is %+v, error %v", done, err)
				}
				b.StartTimer()
			}
			b.ReportMetric(benchImportRows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// peopleFile returns a file whose rows have values for 10 Fields.
func peopleFile(file int) string {
	var f strings.Builder
	f.WriteString("Email,First Name,Last Name,Town,Postcode,Street,Amount,Joined,News,Segment\n")
	for i := range benchImportRows {
		fmt.Fprintf(&f, "p%d-%d@example%d.com,Name%d,Surname%d,Town%d,%05d,Street %d,%d.%02d,2020-0%d-1%d,%t,s%d\n", file, i,
			i%977, i%5000, i%9000, i%80, i%80000, i%300, i%1000, i%100, 1+i%9, i%9, i%2 == 0, i%7)
	}
	return f.String()
}
