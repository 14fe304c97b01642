package imports_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing/iotest"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/imports"
)

// This file tests runs of imports: they are paused, cancelled and interrupted.

// manyRows returns a file with n rows.
func manyRows(n int) string {
	var b strings.Builder
	b.WriteString("Email\n")
	for i := range n {
		fmt.Fprintf(&b, "p%d@example.com\n", i)
	}
	return b.String()
}

// wantEachOnce checks that an import added each of n rows once.
func (f *importFixture) wantEachOnce(i *imports.Import, n int) {
	f.Helper()
	stored := f.All(f.id)
	if i.State != imports.ImportDone || i.Added != int64(n) || f.List(f.id).ContactCount != int64(n) || len(stored) != n {
		f.Fatalf("the import is %s %s with %+v, and the List has %d Contacts, want %d", i.State, i.Reason, i.ImportCounts,
			len(stored), n)
	}
	results := f.results(i)
	if len(results) != n {
		f.Fatalf("there are %d results, want %d", len(results), n)
	}
	for at, line := range results {
		if want := fmt.Sprintf("%d added", at+1); line != want {
			f.Fatalf("result %d is %q, want %q", at, line, want)
		}
	}
	for _, id := range stored[:10] {
		if rows := f.Ledger(f.id, id); rows != 1 {
			f.Errorf("the Contact %d has %d ledger rows, want 1", id, rows)
		}
	}
}

// stepStore is a Store that calls after with the number of each Update that has committed.
type stepStore struct {
	db.Engine
	updates int
	after   func(n int)
}

// Update implements db.Engine. One goroutine calls it.
func (s *stepStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	err := s.Engine.Update(ctx, fn)
	s.updates++
	s.after(s.updates)
	return err
}

func importPauses(f *importFixture) {
	const rows = 3500
	i, err := f.addImport(manyRows(rows), nil)
	f.Must(err)
	store := &stepStore{Engine: f.Store, after: func(n int) {
		if n == 3 { // the lease and two steps
			f.Must(f.App.Imports.PauseImport(f.Context(), f.Caller, i.ID))
		}
	}}
	f.Must(app.New(store, f.Clock).Imports.RunImport(f.Context(), i.ID))
	if paused := f.get(i.ID); paused.State != imports.ImportPaused || paused.Added != 2000 || f.List(f.id).ContactCount != 2000 {
		f.Errorf("the import is %s with %+v, want it paused after 2000 rows", paused.State, paused.ImportCounts)
	}
	f.Must(f.App.Imports.RunImport(f.Context(), i.ID)) // does nothing
	f.Must(f.App.Imports.ResumeImport(f.Context(), f.Caller, i.ID))
	f.Now = f.Now.Add(3 * time.Second)
	f.Must(f.App.Imports.RunImport(f.Context(), i.ID))
	f.wantEachOnce(f.get(i.ID), rows)
	apptest.Same(f.T, "speed", f.get(i.ID).Speed, imports.Speed{Every: 1, Rows: []int64{2000, 0, 0, 1500}})
	f.Refused(f.App.Imports.PauseImport(f.Context(), f.Caller, i.ID), enlist.InvalidParameters, "done already")
	f.Refused(f.App.Imports.ResumeImport(f.Context(), f.Caller, i.ID), enlist.InvalidParameters, "done already")

	cancelled, err := f.addImport("Email\nx@example.com\n", nil)
	f.Must(err)
	f.Must(f.App.Imports.CancelImport(f.Context(), f.Caller, cancelled.ID))
	f.Must(f.App.Imports.RunImport(f.Context(), cancelled.ID))
	if got := f.get(cancelled.ID); got.State != imports.ImportCancelled || got.Added != 0 {
		f.Errorf("the import is %s with %+v, want it cancelled", got.State, got.ImportCounts)
	}
}

func importCrashes(f *importFixture) {
	const rows = 4200
	i, err := f.addImport(manyRows(rows), nil)
	f.Must(err)
	for at := 2; ; at++ {
		store := &apptest.CrashingStore{Engine: f.Store, At: at / 2, After: at%2 == 1}
		err := app.New(store, f.Clock).Imports.RunImport(f.Context(), i.ID)
		if err == nil {
			break
		}
		if errors.Is(err, imports.ErrImportRuns) {
			f.Now = f.Now.Add(2 * time.Minute) // the lease ends
		} else if !errors.Is(err, apptest.ErrCrash) {
			f.Fatal(err)
		}
	}
	f.wantEachOnce(f.get(i.ID), rows)
}

func importLeases(f *importFixture) {
	const rows = 3000
	i, err := f.addImport(manyRows(rows), nil)
	f.Must(err)
	var wg sync.WaitGroup
	ran := make([]error, 4)
	for n := range ran {
		wg.Go(func() { ran[n] = f.App.Imports.RunImport(f.Context(), i.ID) })
	}
	wg.Wait()
	for _, err := range ran {
		if err != nil && !errors.Is(err, imports.ErrImportRuns) {
			f.Error(err)
		}
	}
	f.wantEachOnce(f.get(i.ID), rows)
}

func importRemoval(f *importFixture) {
	i, err := f.addImport(manyRows(1200), nil)
	f.Must(err)
	content := i.Content
	if _, err := f.App.Files.Piece(f.Context(), content, 0); err != nil || content == 0 {
		f.Errorf("the import has the content %d, error %v", content, err)
	}
	if done, err := f.App.Files.RemoveContent(f.Context(), files.RemoveContent{Content: content}); err != nil || !done {
		f.Errorf("RemoveContent returned %t, %v; want it to keep the file of an import", done, err)
	}
	f.Must(f.App.Imports.RunImport(f.Context(), i.ID))
	ended := f.get(i.ID)
	f.wantEachOnce(ended, 1200)
	if done, err := f.App.Files.RemoveContent(f.Context(), files.RemoveContent{Content: content}); err != nil || !done || ended.Content != 0 {
		f.Errorf("RemoveContent returned %t, %v; the import has the content %d", done, err, ended.Content)
	}
	_, err = f.App.Files.Piece(f.Context(), content, 0)
	apptest.WantKind(f.T, "the file of an import that has ended", err, enlist.NotFound)
	if done, err := f.App.Imports.RemoveImportResults(f.Context(), imports.RemoveImportResults{Import: i.ID}); err != nil || !done {
		f.Errorf("RemoveImportResults returned %t, %v", done, err)
	}
	if results := f.results(ended); len(results) != 0 {
		f.Errorf("there are %d results after their removal", len(results))
	}
}

func importTooLarge(f *importFixture) {
	_, err := f.App.Imports.AddImport(f.Context(), f.Caller, imports.NewImport{Most: 1000, File: strings.NewReader(manyRows(100)),
		ImportOptions: imports.ImportOptions{List: f.id}})
	if limit, ok := errors.AsType[imports.ImportTooLarge](err); !ok || limit != 1000 {
		f.Errorf("the error is %v, want ImportTooLarge", err)
	}
	all, err := f.App.Imports.AllImports(f.Context(), f.Caller)
	f.Must(err)
	if len(all) != 1 || all[0].State != imports.ImportFailed || all[0].Content != 0 {
		f.Errorf("the imports are %+v, want one that failed and has no file", all)
	}
}

func importBrokenOff(f *importFixture) {
	_, err := f.App.Imports.AddImport(f.Context(), f.Caller, imports.NewImport{ImportOptions: imports.ImportOptions{List: f.id},
		File: io.MultiReader(strings.NewReader(manyRows(100)), iotest.ErrReader(io.ErrUnexpectedEOF))})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		f.Errorf("the error is %v, want %v", err, io.ErrUnexpectedEOF)
	}
	all, err := f.App.Imports.AllImports(f.Context(), f.Caller)
	f.Must(err)
	if len(all) != 1 || all[0].State != imports.ImportFailed || all[0].Content != 0 {
		f.Errorf("the imports are %+v, want one that failed and has no file", all)
	}
}

// smallDisk is a Store whose disk has room for 3000 bytes.
type smallDisk struct{ db.Engine }

// FreeSpace implements db.Engine.
func (smallDisk) FreeSpace() (bytes int64, known bool) { return 3000, true }

func importRoom(f *importFixture) {
	service := app.New(smallDisk{f.Store}, f.Clock)
	file := manyRows(100)
	add := func(size int64, dryRun bool) error {
		_, err := service.Imports.AddImport(f.Context(), f.Caller, imports.NewImport{Size: size, File: strings.NewReader(file),
			ImportOptions: imports.ImportOptions{List: f.id, DryRun: dryRun}})
		return err
	}
	for _, err := range []error{add(1501, false), add(3001, true)} {
		if _, ok := errors.AsType[imports.NoRoom](err); !ok {
			f.Errorf("the error is %v, want NoRoom", err)
		}
	}
	if all, err := f.App.Imports.AllImports(f.Context(), f.Caller); err != nil || len(all) != 0 {
		f.Errorf("%d imports are stored, error %v; want none", len(all), err)
	}
	f.Must(add(1500, false))
	f.Must(add(3000, true))
	f.Must(add(-1, false)) // the size of a streamed file is not known
}
