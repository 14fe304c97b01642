package imports_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/imports"
)

// This file tests dry runs that keep their file, and the refused rows by their reasons.

// covers: decision 70
func TestKeptFiles(t *testing.T) {
	apptest.Run(t, apptest.Own, newImportFixture, []apptest.Rule[*importFixture]{
		{Name: "the file of a dry run is imported once, without a second upload", Test: importKept},
		{Name: "a kept file is removed after a day, and at once if the dry run is cancelled", Test: keptFileRemoval},
		{Name: "columns that are not clear keep the file, and a later choice imports it", Test: unclearColumns},
		{Name: "an import of a kept file that is refused changes nothing", Test: keptRefused},
		{Name: "a file that is only kept, or cannot be read, is imported with other options", Test: onlyKept},
		{Name: "an import that leaves a question open is a dry run if it keeps its file", Test: openQuestions},
		{Name: "a sample has the form of the file and its first rows", Test: keptSample},
		{Name: "refused rows are told apart by reason, with the first of each", Test: refusalsByReason},
	})
}

func keepFile(o *imports.ImportOptions) { o.DryRun, o.KeepFile = true, true }

func forReal(o *imports.ImportOptions) { o.DryRun = false }

func importKept(f *importFixture) {
	dry := f.runs("Email,Town\nann@example.com,Bonn\nnope,Rome\n", keepFile)
	if dry.Added != 1 || dry.Refused != 1 || !dry.HasKeptFile() || f.Count(f.id, "id", "greater_than", "0") != 0 {
		f.Fatalf("the dry run is %+v", dry)
	}
	first := f.id
	f.id = f.AddList()
	next, err := f.App.Imports.ImportKept(f.Context(), f.Caller, dry.ID, func(o *imports.ImportOptions) {
		o.DryRun, o.AddFields, o.List, o.FileName = false, true, f.id, "other.csv"
	})
	f.Must(err)
	if next.ListID != f.id || next.Options.List != f.id || next.Options.FileName != "people.csv" || next.SHA256 != dry.SHA256 || next.SHA256 == "" {
		f.Errorf("the import is %+v, want the other List and the file of the dry run", next)
	}
	if f.Count(first, "id", "greater_than", "0") != 0 {
		f.Error("the List of the dry run has Contacts")
	}
	_, err = f.App.Imports.ImportKept(f.Context(), f.Caller, dry.ID, forReal)
	f.Refused(err, enlist.InvalidParameters, "no longer stored")
	f.Must(f.App.Imports.RunImport(f.Context(), next.ID))
	f.wantResults(f.get(next.ID), "1 added", "2 refused Email nope")
	if town := f.person("ann@example.com").Values.Get(next.Columns[1].Field); town != "Bonn" {
		f.Errorf("the town is %q, want Bonn", town)
	}
	if ended := f.get(next.ID); ended.Content != 0 {
		f.Errorf("the file is still stored after the import")
	}
}

func keptFileRemoval(f *importFixture) {
	dry := f.runs("Email\nann@example.com\n", keepFile)
	f.Now = f.Now.Add(24*time.Hour - time.Second)
	f.Must(f.App.Imports.RunImport(f.Context(), dry.ID))
	if !f.get(dry.ID).HasKeptFile() {
		f.Errorf("the file was removed before a day was over")
	}
	f.Now = f.Now.Add(time.Second)
	f.Must(f.App.Imports.RunImport(f.Context(), dry.ID))
	if f.get(dry.ID).HasKeptFile() {
		f.Errorf("the file is kept after a day")
	}
	if done, err := f.App.Files.RemoveContent(f.Context(), files.RemoveContent{Content: dry.Content}); err != nil || !done {
		f.Errorf("RemoveContent returned %t, %v", done, err)
	}
	_, err := f.App.Files.Piece(f.Context(), dry.Content, 0)
	apptest.WantKind(f.T, "the file after a day", err, enlist.NotFound)

	cancelled, err := f.addImport("Email\nann@example.com\n", keepFile)
	f.Must(err)
	f.Must(f.App.Imports.CancelImport(f.Context(), f.Caller, cancelled.ID))
	if f.get(cancelled.ID).Content != 0 {
		f.Errorf("a cancelled dry run keeps its file")
	}
}

func unclearColumns(f *importFixture) {
	i, err := f.addImport("Kontaktweg,Kontaktweg2\nann@example.com,a@example.com\n", keepFile)
	f.Must(err)
	if i.State != imports.ImportFailed || !i.HasKeptFile() || fmt.Sprint(i.Columns) != "[{Kontaktweg  0 <nil> <nil>} {Kontaktweg2  0 <nil> <nil>}]" {
		f.Fatalf("the import is %+v, want it failed with its columns and file", i)
	}
	_, err = f.App.Imports.ImportKept(f.Context(), f.Caller, i.ID, forReal)
	f.Refused(err, enlist.InvalidParameters, "no column is for the Field")
	next, err := f.App.Imports.ImportKept(f.Context(), f.Caller, i.ID, func(o *imports.ImportOptions) {
		o.DryRun, o.Map = false, []imports.ImportMapping{{Column: "Kontaktweg", Target: "Email"}}
	})
	f.Must(err)
	f.Must(f.App.Imports.RunImport(f.Context(), next.ID))
	f.wantResults(f.get(next.ID), "1 added")
	_, err = f.addImport("", keepFile)
	f.Refused(err, enlist.InvalidParameters, "empty")
	all, err := f.App.Imports.AllImports(f.Context(), f.Caller)
	f.Must(err)
	if last := all[len(all)-1]; last.Content != 0 {
		f.Errorf("an empty file is kept")
	}
}

func onlyKept(f *importFixture) {
	n := imports.NewImport{File: strings.NewReader("Email\nann@example.com\n"), OnlyKeep: true,
		ImportOptions: imports.ImportOptions{List: f.id, KeepFile: true}}
	held, err := f.App.Imports.AddImport(f.Context(), f.Caller, n)
	if err != imports.ErrOnlyKept || held.State != imports.ImportFailed || !held.HasKeptFile() {
		f.Fatalf("the import is %+v, error %v", held, err)
	}
	for _, c := range []*enlist.Caller{f.NewCaller(), f.Restricted(f.AddList())} {
		if _, err := f.App.Imports.AddKept(f.Context(), c, held.ID, forReal); err == nil {
			f.Error("another caller imports the file")
		}
	}
	others, other := f.Restricted(f.id), f.AddList()
	f.Must(f.App.Imports.RunImport(f.Context(), held.ID)) // there is nothing to run
	_, err = f.App.Imports.AddKept(f.Context(), others, held.ID, func(o *imports.ImportOptions) {
		o.List, o.Skip = other, imports.SkipOfList
	})
	f.Refused(err, enlist.Denied, "other Lists")
	next, err := f.App.Imports.AddKept(f.Context(), f.Caller, held.ID, forReal)
	f.Must(err)
	f.Must(f.App.Imports.RunImport(f.Context(), next.ID))
	f.wantResults(f.get(next.ID), "1 added")

	unreadable, err := f.addImport("Email,T\xf6wn\na@example.com,K\xf6ln\n", func(o *imports.ImportOptions) { o.KeepFile, o.Encoding = true, "utf-8" })
	f.Refused(err, enlist.InvalidParameters, "UTF-8")
	next, err = f.App.Imports.AddKept(f.Context(), f.Caller, unreadable.ID, func(o *imports.ImportOptions) { o.Encoding = "windows-1252" })
	f.Must(err)
	f.Must(f.App.Imports.RunImport(f.Context(), next.ID))
	f.wantResults(f.get(next.ID), "1 added")
	unclear, err := f.addImport("Kontaktweg,Y\nu@example.com,v@example.com\n", func(o *imports.ImportOptions) { o.KeepFile, o.Delimiter = true, "x" })
	f.Refused(err, enlist.InvalidParameters, "delimiter")
	next, err = f.App.Imports.AddKept(f.Context(), f.Caller, unclear.ID, func(o *imports.ImportOptions) { o.Delimiter = "" })
	f.Must(err)
	if next.State != imports.ImportFailed || !next.HasKeptFile() || next.Columns[0].Name != "Kontaktweg" {
		f.Errorf("the import is %+v, want it failed with its columns and file", next)
	}
}

func openQuestions(f *importFixture) {
	f.AddField(f.id, "name", "Born", "type", "date")
	f.AddField(f.id, "name", "Sum", "type", "decimal")
	many := strings.Repeat(",enabled\n", 5000)
	for _, c := range []struct {
		name, file string
		asks       bool
	}{
		{"nothing", "Email,Status\nann@example.com,active\n", false},
		{"a person who has left", "Email,Status\nann@example.com,unsubscribed\n", true},
		{"a column of states of a long file", "Email,Status\nann@example.com,active\n" + many, true},
		{"a long file", "Email,Kind\nann@example.com,active\n" + many, false},
		{"the order of dates", "Email,Born\nann@example.com,3/2/2026\n", true},
		{"the sign before decimals", "Email\tSum\nann@example.com\t1,234\n", true},
		{"the encoding", "Email,Name\nann@example.com,O\x92Brien\n", true},
	} {
		f.Case(c.name, func() {
			i, err := f.addImport(c.file, func(o *imports.ImportOptions) { o.KeepFile = true })
			f.Must(err)
			f.Must(f.App.Imports.RunImport(f.Context(), i.ID))
			i = f.get(i.ID)
			if i.Options.DryRun != c.asks || i.HasKeptFile() != c.asks || i.State != imports.ImportDone {
				f.Errorf("the import is %+v, want a dry run: %v", i, c.asks)
			}
			for _, answered := range []func(o *imports.ImportOptions){
				func(o *imports.ImportOptions) { o.Status = imports.StatusLeaveOut },
				func(o *imports.ImportOptions) {
					o.Dates = []imports.ImportMapping{{Column: "Born", Target: "DD/MM/YYYY"}}
				},
				func(o *imports.ImportOptions) { o.Decimals = []imports.ImportMapping{{Column: "Sum", Target: "point"}} },
				func(o *imports.ImportOptions) { o.Encoding = "windows-1250" },
			} {
				if !i.HasKeptFile() {
					return
				}
				next, err := f.App.Imports.ImportKept(f.Context(), f.Caller, i.ID, func(o *imports.ImportOptions) {
					o.DryRun = false
					answered(o)
				})
				if err == nil && !next.Options.DryRun {
					return // this was the answer
				} else if err == nil {
					f.Must(f.App.Imports.RunImport(f.Context(), next.ID))
					i = f.get(next.ID)
				}
			}
			f.Error("no answer imports the file")
		})
	}
}

func keptRefused(f *importFixture) {
	dry := f.runs("Email,Town\nann@example.com,Bonn\n", keepFile)
	standard := *f.Caller
	key := *f.Caller.Key
	key.Level = enlist.Standard
	standard.Key = &key
	addFields := func(o *imports.ImportOptions) { o.DryRun, o.AddFields = false, true }
	_, err := f.App.Imports.ImportKept(f.Context(), &standard, dry.ID, addFields)
	f.Refused(err, enlist.Denied, "level full")
	_, err = f.App.Imports.ImportKept(f.Context(), f.Restricted(f.AddList()), dry.ID, forReal)
	f.Refused(err, enlist.Denied, "other Lists")
	_, err = f.App.Imports.ImportKept(f.Context(), f.NewCaller(), dry.ID, forReal)
	f.Refused(err, enlist.InvalidParameters, "no import")
	_, err = f.App.Imports.ImportKept(f.Context(), f.Caller, dry.ID, func(o *imports.ImportOptions) { o.Existing = "burn" })
	f.Refused(err, enlist.InvalidParameters, "existing")
	all, err := f.App.Imports.AllImports(f.Context(), f.Caller)
	f.Must(err)
	if len(all) != 1 || !all[0].HasKeptFile() {
		f.Errorf("there are %d imports, want only the dry run with its file", len(all))
	}
}

func keptSample(f *importFixture) {
	dry := f.runs("Email;Town\nann@example.com;K\xf6ln\nbob@example.com;"+strings.Repeat("x", 300)+"\ncy@example.com;\n", keepFile)
	s, err := f.App.Imports.KeptSample(f.Context(), f.Caller, dry.ID, 2)
	f.Must(err)
	if s == nil || s.Encoding != "windows-1252" || s.Delimiter != ";" || len(s.Rows) != 2 || s.Rows[0][1] != "Köln" || len(s.Rows[1][1]) != 203 {
		f.Errorf("the sample is %+v", s)
	}
}

func refusalsByReason(f *importFixture) {
	var file strings.Builder
	file.WriteString("Email,is_active\n")
	for n := range 2500 {
		fmt.Fprintf(&file, "p%d@example.com,1\n", n)
		if n%100 == 0 {
			fmt.Fprintf(&file, "bad %d,\n", n)
		}
	}
	file.WriteString("q@example.com,perhaps\n")
	i := f.runs(file.String(), nil)
	all, err := f.App.Imports.Refusals(f.Context(), f.Caller, i.ID, 3)
	f.Must(err)
	var sum int64
	for _, r := range all {
		sum += r.Count
		if r.Reason == "" || len(r.Rows) > 3 {
			f.Errorf("a reason is %+v, want at most 3 rows", r)
		}
	}
	if sum != i.Refused || sum != 26 || len(all) != 2 || all[0].Rows[1].Row != 103 || all[0].Rows[1].Value != "bad 100" ||
		all[1].Field != "is_active" || all[1].Rows[0].Value != "perhaps" {
		f.Errorf("the reasons are %+v, want %d rows", all, i.Refused)
	}
	_, err = f.App.Imports.Refusals(f.Context(), f.Restricted(f.AddList()), i.ID, 3)
	f.Refused(err, enlist.Denied, "other Lists")
}
