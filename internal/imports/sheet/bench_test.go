package sheet

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// benchmarkRows reads a file again and again and reports its rows in each second.
func benchmarkRows(b *testing.B, file []byte) {
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		r, err := Open(bytes.NewReader(file), int64(len(file)), Options{})
		if err != nil {
			b.Fatal(err)
		}
		for ; ; rows++ {
			row, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil || row.Err != nil {
				b.Fatal(err, row.Err)
			}
		}
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkCSV reads rows of 10 columns, one of them in quotes.
func BenchmarkCSV(b *testing.B) {
	file := []byte("Email,First Name,Last Name,City,Street,Postcode,Country,Joined,Score,Note\n")
	for i := range 20_000 {
		file = fmt.Appendf(file, "person%d@example.com,First%d,Last%d,Zürich,Street %d,%d,CH,2024-01-31,%d.5,\"a note, number %d\"\n", i, i, i, i, i, i, i)
	}
	benchmarkRows(b, file)
}

// BenchmarkNDJSON reads the same rows as objects.
func BenchmarkNDJSON(b *testing.B) {
	var file []byte
	for i := range 20_000 {
		file = fmt.Appendf(file, `{"Email":"person%d@example.com","First Name":"First%d","Last Name":"Last%d","City":"Zürich","Street":"Street %d",`+
			`"Postcode":"%d","Country":"CH","Joined":"2024-01-31","Score":%d.5,"Note":"a note, number %d"}`+"\n", i, i, i, i, i, i, i)
	}
	benchmarkRows(b, file)
}

// BenchmarkXLSX reads rows of 10 cells.
func BenchmarkXLSX(b *testing.B) {
	rows := [][]any{{"Email", "First Name", "Last Name", "City", "Street", "Postcode", "Country", "Joined", "Score", "Note"}}
	for i := range 2000 {
		rows = append(rows, []any{fmt.Sprintf("person%d@example.com", i), "First", "Last", "Zürich", "Street", i, "CH", "2024-01-31", 0.5, "a note"})
	}
	benchmarkRows(b, []byte(madeByExcelize(b, rows...)))
}
