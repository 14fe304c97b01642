package exports

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

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/imports/sheet"
	"enlist/internal/rpc"
)

// odd are values that a file could change: each is the value of Name and of the comment Field.
var odd = []string{"", " leading", "trailing ", "say \"hi\"", "a,b;c|d\te", "one\r\ntwo\rthree\nfour", "'", "=1+1", "-5", "007",
	"Zürich 東京 😀", "sep=;", "\ufeffx", "true", "null", "\u2028", "\u00a0x\u00a0"}

// fixture is an Account with a List that has a Field of each type.
type fixture struct {
	*apptest.Account
	list enlist.ListID
}

func newFixture(t *testing.T, store db.Engine) *fixture {
	f := &fixture{Account: apptest.NewAccount(t, store)}
	f.list = f.addList()
	return f
}

func (f *fixture) addList() enlist.ListID {
	f.Helper()
	list := f.AddList()
	f.AddField(list, "name", "Name", "type", "text")
	f.AddField(list, "name", "Note; long, \"quoted\"", "type", "comment")
	f.AddField(list, "name", "Score", "type", "decimal")
	f.AddField(list, "name", "Born", "type", "date", "time_format", "24h")
	f.AddField(list, "name", "Colours", "type", "checkbox", "values_array", "red,green,blue")
	return list
}

// add adds Contacts to a List.
func (f *fixture) add(list enlist.ListID, rows [][]enlist.Detail) {
	f.Helper()
	_, err := f.App.Contacts.AddContacts(f.Context(), f.Caller, contacts.AddRequest{List: list, Contacts: rows})
	f.Must(err)
}

// addMany adds n Contacts with a note.
func (f *fixture) addMany(n int, note string) {
	f.Helper()
	var rows [][]enlist.Detail
	for i := range n {
		rows = append(rows, apptest.Details("Email", fmt.Sprintf("person%d@example.com", i), "Note; long, \"quoted\"", note))
	}
	f.add(f.list, rows)
}

// write returns the file of an export.
func (f *fixture) write(e Export) string {
	f.Helper()
	var b bytes.Buffer
	_, err := e.Write(f.Context(), f.App, f.Caller, &b)
	f.Must(err)
	return b.String()
}

// load adds the Contacts of a file to a List.
func (f *fixture) load(list enlist.ListID, file, name string) {
	f.Helper()
	r, err := sheet.Open(strings.NewReader(file), int64(len(file)), sheet.Options{FileName: name})
	f.Must(err)
	defer r.Close()
	var rows [][]enlist.Detail
	for {
		row, err := r.Next()
		if err == io.EOF {
			break
		}
		f.Must(err)
		f.Must(row.Err)
		var details []enlist.Detail
		for i, v := range row.Values {
			details = append(details, apptest.Details(r.Columns()[i], fmt.Sprint(v))...)
		}
		rows = append(rows, details)
	}
	f.add(list, rows)
}

// covers: spec export.csv, export.ndjson, decision 67
func TestExportedAndImportedAgainIsTheSame(t *testing.T) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		f := newFixture(t, e.Shared(t))
		var rows [][]enlist.Detail
		for i, text := range odd {
			rows = append(rows, apptest.Details("Email", fmt.Sprintf("Person%d@Example.com", i), "Name", text,
				"Note; long, \"quoted\"", text, "Score", []string{"", "-12.50", "0.000000000000001"}[i%3],
				"Born", []string{"", "2024-02-29", "2024-02-29 01:02:03"}[i%3], "Colours", []string{"", "blue,red", "green"}[i%3]))
		}
		f.add(f.list, rows)
		columns := []string{"Email", "Mobile Phone", "Name", "Note; long, \"quoted\"", "Score", "Born", "Colours"}
		for _, format := range []Format{CSV, NDJSON} {
			for _, gz := range []bool{false, true} {
				export := Export{List: f.list, Format: format, Gzip: gz, Columns: columns}
				file := f.write(export)
				copied := f.addList()
				f.load(copied, file, export.Name("x"))
				export.List = copied
				if again := f.write(export); again != file {
					t.Errorf("%s, gz %t: exported\n%q\nand after importing it\n%q", format, gz, file, again)
				}
			}
		}
	})
}

// covers: spec export.excel, decision 67
func TestExcelDoesNotCalculateTexts(t *testing.T) {
	t.Parallel()
	f := newFixture(t, dbtest.SQLite.Shared(t))
	var rows [][]enlist.Detail
	for i, text := range []string{"=1+1", "+1", "-1", "@x", "\tx", "\rx", "x=1", "'x"} {
		rows = append(rows, apptest.Details("Email", fmt.Sprintf("p%d@example.com", i), "Name", text, "Score", "-1"))
	}
	f.add(f.list, rows)
	got := f.write(Export{List: f.list, Excel: true, Columns: []string{"Name", "Score", "is_active"}})
	if want := "\ufeffName,Score,is_active\n'=1+1,-1,true\n'+1,-1,true\n'-1,-1,true\n'@x,-1,true\n\"'\tx\",-1,true\n\"'\rx\",-1,true\nx=1,-1,true\n'x,-1,true\n"; got != want {
		t.Errorf("exported\n%q\nwant\n%q", got, want)
	}
}

// covers: spec export.proof, decision 67, decision 95
func TestProofHasConsentsUnsubscribesAndMails(t *testing.T) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		f := newFixture(t, e.Own(t)) // IDs begin at 1
		for i := range 1201 {        // more than one page of IDs
			if i == 3 || i == 1200 {
				_, err := f.App.Contacts.Subscribe(t.Context(), f.Caller, contacts.SubscribeRequest{List: f.list,
					Details: apptest.Details("Email", fmt.Sprintf("q%d@example.com", i)),
					Consent: contacts.Consent{Type: contacts.ConsentDirect, Text: "said yes", IP: "192.0.2.7"}})
				f.Must(err)
				_, err = f.App.Contacts.Unsubscribe(t.Context(), f.Caller, contacts.UnsubscribeRequest{List: f.list, Address: fmt.Sprintf("q%d@example.com", i)})
				f.Must(err)
			} else if i == 4 {
				f.addMany(1199, "")
			}
		}
		file := f.write(Export{List: f.list, Format: NDJSON, Proof: true, Columns: []string{"id", "Email"},
			Query: enlist.Query{Criteria: must(rpc.ParseCriteria(`[["is_active","exactly","1"]]`))}})
		lines := strings.Split(strings.TrimSpace(file), "\n")
		if len(lines) != 1201 {
			t.Fatalf("%d lines", len(lines))
		}
		f.sameProofAsCSV(strings.Join(lines[:9], "\n") + "\n")
		for i, line := range lines {
			var record struct {
				ID    int64
				Proof map[string][]map[string]any
			}
			f.Must(json.Unmarshal([]byte(line), &record))
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
func (f *fixture) sameProofAsCSV(ndjson string) {
	f.Helper()
	file := f.write(Export{List: f.list, Format: CSV, Proof: true, Columns: []string{"id", "Email"},
		Query: enlist.Query{Criteria: must(rpc.ParseCriteria(`[["id","less_than","10"]]`))}})
	rows := must(csv.NewReader(strings.NewReader(file)).ReadAll())
	var b strings.Builder
	for _, row := range rows[1:] {
		fmt.Fprintf(&b, `{"id":%s,"Email":"%s","proof":%s}`+"\n", row[0], row[1], row[2])
	}
	if got := b.String(); !slices.Equal(rows[0], []string{"id", "Email", "proof"}) || got != ndjson {
		f.Errorf("the CSV has the columns %v, and %d bytes of proof that differ from %d bytes", rows[0], len(got), len(ndjson))
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
	f := newFixture(t, dbtest.SQLite.Shared(t))
	for _, e := range []Export{
		{Format: "xml"}, {Format: NDJSON, Excel: true}, {Format: CSV, Excel: true, Proof: true}, {Format: NDJSON, Proof: true, Query: enlist.Query{SortBy: "id"}},
		{Columns: []string{"Nmae"}}, {Query: enlist.Query{SortBy: "Nmae"}}, {Query: enlist.Query{Limit: -1}},
	} {
		e.List = f.list
		var b bytes.Buffer
		if _, err := e.Write(t.Context(), f.App, f.Caller, &b); enlist.KindOf(err) == enlist.Internal || b.Len() > 0 {
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
	f := newFixture(t, dbtest.SQLite.Shared(t))
	f.addMany(2000, strings.Repeat("long ", 100))
	for _, gz := range []bool{false, true} {
		e := Export{List: f.list, Gzip: gz}
		if _, err := e.Write(t.Context(), f.App, f.Caller, &full{1000}); !errors.Is(err, errFull) {
			t.Errorf("gz %t: %v", gz, err)
		}
	}
}

// A file without named columns has the decisions about the recording of opens and clicks, and an import takes them.
//
// covers: decision 161
func TestExportedDecisionsAreImported(t *testing.T) {
	t.Parallel()
	f := newFixture(t, dbtest.SQLite.Shared(t))
	f.add(f.list, [][]enlist.Detail{apptest.Details("Email", "a@example.com", "tracking_consent", "denied"),
		apptest.Details("Email", "b@example.com")})
	for _, format := range []Format{CSV, NDJSON} {
		export := Export{List: f.list, Format: format}
		copied := f.addList()
		i := f.ImportFile(copied, f.write(export), func(o *imports.ImportOptions) { o.FileName, o.AddFields = export.Name("x"), true })
		if n := f.Count(copied, "tracking_consent", "exactly", "denied"); i.Added != 2 || n != 1 {
			t.Errorf("%s: of the %d Contacts %d have refused, want 1 of 2; columns %+v", format, i.Added, n, i.Columns)
		}
		if names := f.Fields(copied, enlist.Query{}); slices.Contains(names, "tracking_time") {
			t.Errorf("%s: the import has added the Field tracking_time", format)
		}
	}
}
