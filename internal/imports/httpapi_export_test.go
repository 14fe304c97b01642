package imports_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/imports/httpapi"
	"enlist/internal/imports/sheet"
	"enlist/internal/rpc"
)

// odd are values that a file could change: each is the value of Name and of the comment Field.
var odd = []string{"", " leading", "trailing ", "say \"hi\"", "a,b;c|d\te", "one\r\ntwo\rthree\nfour", "'", "=1+1", "-5", "007",
	"Zürich 東京 😀", "sep=;", "\ufeffx", "true", "null", "\u2028", "\u00a0x\u00a0"}

// write returns the file of an export.
func (h *harness) write(t testing.TB, e httpapi.Export) string {
	t.Helper()
	var b bytes.Buffer
	_, err := e.Write(t.Context(), h.service, h.caller, &b)
	check(t, err)
	return b.String()
}

// load adds the Contacts of a file to a List.
func (h *harness) load(t testing.TB, list enlist.ListID, file, name string) {
	t.Helper()
	r, err := sheet.Open(strings.NewReader(file), int64(len(file)), sheet.Options{FileName: name})
	check(t, err)
	defer r.Close()
	var rows [][]enlist.Detail
	for {
		row, err := r.Next()
		if err == io.EOF {
			break
		}
		check(t, err)
		check(t, row.Err)
		var details []enlist.Detail
		for i, v := range row.Values {
			details = append(details, detail(r.Columns()[i], fmt.Sprint(v)))
		}
		rows = append(rows, details)
	}
	_, err = h.service.Contacts.AddContacts(t.Context(), h.caller, contacts.AddRequest{List: list, Contacts: rows})
	check(t, err)
}

// covers: spec export.csv, export.ndjson, decision 67
func TestExportedAndImportedAgainIsTheSame(t *testing.T) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		h := newHarness(t, e, httpapi.Options{})
		var rows [][]enlist.Detail
		for i, text := range odd {
			rows = append(rows, []enlist.Detail{detail("Email", fmt.Sprintf("Person%d@Example.com", i)), detail("Name", text),
				detail("Note; long, \"quoted\"", text), detail("Score", []string{"", "-12.50", "0.000000000000001"}[i%3]),
				detail("Born", []string{"", "2024-02-29", "2024-02-29 01:02:03"}[i%3]), detail("Colours", []string{"", "blue,red", "green"}[i%3])})
		}
		_, err := h.service.Contacts.AddContacts(t.Context(), h.caller, contacts.AddRequest{List: h.list, Contacts: rows})
		check(t, err)
		columns := []string{"Email", "Mobile Phone", "Name", "Note; long, \"quoted\"", "Score", "Born", "Colours"}
		for _, format := range []httpapi.Format{httpapi.CSV, httpapi.NDJSON} {
			for _, gz := range []bool{false, true} {
				export := httpapi.Export{List: h.list, Format: format, Gzip: gz, Columns: columns}
				file := h.write(t, export)
				copied := h.addList(t, fmt.Sprint("Copy", format, gz))
				h.load(t, copied, file, export.Name("x"))
				export.List = copied
				if again := h.write(t, export); again != file {
					t.Errorf("%s, gz %t: exported\n%q\nand after importing it\n%q", format, gz, file, again)
				}
			}
		}
	})
}

// covers: spec export.excel, decision 67
func TestExcelDoesNotCalculateTexts(t *testing.T) {
	t.Parallel()
	h := newHarness(t, dbtest.SQLite, httpapi.Options{})
	var rows [][]enlist.Detail
	for i, text := range []string{"=1+1", "+1", "-1", "@x", "\tx", "\rx", "x=1", "'x"} {
		rows = append(rows, []enlist.Detail{detail("Email", fmt.Sprintf("p%d@example.com", i)), detail("Name", text), detail("Score", "-1")})
	}
	_, err := h.service.Contacts.AddContacts(t.Context(), h.caller, contacts.AddRequest{List: h.list, Contacts: rows})
	check(t, err)
	got := h.write(t, httpapi.Export{List: h.list, Excel: true, Columns: []string{"Name", "Score", "is_active"}})
	if want := "\ufeffName,Score,is_active\n'=1+1,-1,true\n'+1,-1,true\n'-1,-1,true\n'@x,-1,true\n\"'\tx\",-1,true\n\"'\rx\",-1,true\nx=1,-1,true\n'x,-1,true\n"; got != want {
		t.Errorf("exported\n%q\nwant\n%q", got, want)
	}
}

// covers: spec export.proof, decision 67, decision 95
func TestProofHasConsentsUnsubscribesAndMails(t *testing.T) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		h := newHarness(t, e, httpapi.Options{})
		for i := range 1201 { // more than one page of IDs
			if i == 3 || i == 1200 {
				_, err := h.service.Contacts.Subscribe(t.Context(), h.caller, contacts.SubscribeRequest{List: h.list,
					Details: []enlist.Detail{detail("Email", fmt.Sprintf("q%d@example.com", i))},
					Consent: contacts.Consent{Type: contacts.ConsentDirect, Text: "said yes", IP: "192.0.2.7"}})
				check(t, err)
				_, err = h.service.Contacts.Unsubscribe(t.Context(), h.caller, contacts.UnsubscribeRequest{List: h.list, Address: fmt.Sprintf("q%d@example.com", i)})
				check(t, err)
			} else if i == 4 {
				h.addMany(t, 1199, "")
			}
		}
		file := h.write(t, httpapi.Export{List: h.list, Format: httpapi.NDJSON, Proof: true, Columns: []string{"id", "Email"},
			Query: enlist.Query{Criteria: must(rpc.ParseCriteria(`[["is_active","exactly","1"]]`))}})
		lines := strings.Split(strings.TrimSpace(file), "\n")
		if len(lines) != 1201 {
			t.Fatalf("%d lines", len(lines))
		}
		sameProofAsCSV(t, h, strings.Join(lines[:9], "\n")+"\n")
		for i, line := range lines {
			var record struct {
				ID    int64
				Proof map[string][]map[string]any
			}
			check(t, json.Unmarshal([]byte(line), &record))
			unsubscribed := i == 0 || i == 1200
			if record.ID != int64(i+1) || len(record.Proof) != 3 || len(record.Proof["unsubscribes"]) == 1 != unsubscribed {
				t.Fatalf("line %d: %s", i, line)
			}
			consents := record.Proof["consents"] // newest first
			if unsubscribed && consents[len(consents)-1]["ip_address"] != "192.0.2.7" {
				t.Errorf("line %d: %s", i, line)
			}
		}
	})
}

// sameProofAsCSV checks that the column proof of a CSV file has the objects of an NDJSON file with the first nine
// Contacts.
func sameProofAsCSV(t *testing.T, h *harness, ndjson string) {
	t.Helper()
	file := h.write(t, httpapi.Export{List: h.list, Format: httpapi.CSV, Proof: true, Columns: []string{"id", "Email"},
		Query: enlist.Query{Criteria: must(rpc.ParseCriteria(`[["id","less_than","10"]]`))}})
	rows := must(csv.NewReader(strings.NewReader(file)).ReadAll())
	var b strings.Builder
	for _, row := range rows[1:] {
		fmt.Fprintf(&b, `{"id":%s,"Email":"%s","proof":%s}`+"\n", row[0], row[1], row[2])
	}
	if got := b.String(); !slices.Equal(rows[0], []string{"id", "Email", "proof"}) || got != ndjson {
		t.Errorf("the CSV has the columns %v, and %d bytes of proof that differ from %d bytes", rows[0], len(got), len(ndjson))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestOptionsThatExcludeEachOtherAreRefused(t *testing.T) {
	t.Parallel()
	h := newHarness(t, dbtest.SQLite, httpapi.Options{})
	for _, e := range []httpapi.Export{
		{Format: "xml"}, {Format: httpapi.NDJSON, Excel: true}, {Format: httpapi.CSV, Excel: true, Proof: true}, {Format: httpapi.NDJSON, Proof: true, Query: enlist.Query{SortBy: "id"}},
		{Columns: []string{"Nmae"}}, {Query: enlist.Query{SortBy: "Nmae"}}, {Query: enlist.Query{Limit: -1}},
	} {
		e.List = h.list
		var b bytes.Buffer
		if _, err := e.Write(t.Context(), h.service, h.caller, &b); enlist.KindOf(err) == enlist.Internal || b.Len() > 0 {
			t.Errorf("%+v: %v, and %d bytes", e, err, b.Len())
		}
	}
}

// full is a disk that takes only the first bytes.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestAnErrorOfTheFileEndsTheExport(t *testing.T) {
	t.Parallel()
	h := newHarness(t, dbtest.SQLite, httpapi.Options{})
	h.addMany(t, 2000, strings.Repeat("long ", 100))
	for _, gz := range []bool{false, true} {
		e := httpapi.Export{List: h.list, Gzip: gz}
		if _, err := e.Write(t.Context(), h.service, h.caller, &full{1000}); !errors.Is(err, errFull) {
			t.Errorf("gz %t: %v", gz, err)
		}
	}
}

// FuzzExportedCell reads each cell that AppendCell writes.
func FuzzExportedCell(f *testing.F) {
	for _, text := range odd {
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, last bool) {
		text = strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?")
		file := append(httpapi.AppendCell(httpapi.AppendCell([]byte("a,b\n"), 0, text, false), 1, "x", false), '\n')
		if last {
			file = append(httpapi.AppendCell(httpapi.AppendCell([]byte("a,b\n"), 0, "x", false), 1, text, false), '\n')
		}
		r, err := sheet.Open(bytes.NewReader(file), int64(len(file)), sheet.Options{})
		check(t, err)
		defer r.Close()
		row, err := r.Next()
		check(t, err)
		check(t, row.Err)
		got := row.Values[0]
		if last {
			got = row.Values[1]
		}
		if got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// BenchmarkExport writes Contacts with short values. The engine's search takes most of the time.
func BenchmarkExport(b *testing.B) {
	h := newHarness(b, dbtest.SQLite, httpapi.Options{})
	for _, format := range []httpapi.Format{httpapi.CSV, httpapi.NDJSON} {
		b.Run(string(format), func(b *testing.B) {
			if format == httpapi.CSV {
				h.addMany(b, 5000, "a note, of a person")
			}
			rows := int64(0)
			for b.Loop() {
				e := httpapi.Export{List: h.list, Format: format}
				n, err := e.Write(b.Context(), h.service, h.caller, io.Discard)
				check(b, err)
				rows += n
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
