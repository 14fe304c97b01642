// Package imports has the pages of Imports: all of them, the upload of a file, and what became of one.
package imports

import (
	"embed"
	"errors"
	"slices"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/limiter"
)

//go:embed *.html
var files embed.FS

const (
	// maxUploads is the number of files that people upload at the same time. Each needs a few MiB of memory. Further
	// uploads wait for uploadWait.
	maxUploads = 4
	uploadWait = 10 * time.Second
)

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{table: ui.Parse(files, "imports.html"), blank: ui.Parse(files, "new.html"),
		report: ui.Parse(files, "import.html"), uploads: limiter.New(maxUploads, uploadWait)}
	const needed = enlist.SeeContacts // an Import shows addresses
	return []ui.Page{
		{Pattern: "GET /admin/imports", Needs: needed, Serve: p.list},
		{Pattern: "GET /admin/imports/new", Needs: needed, Serve: p.form},
		{Pattern: "POST /admin/imports/new", Needs: needed, Upload: true, Serve: p.upload},
		{Pattern: "GET /admin/imports/{import}", Needs: needed, Serve: p.show},
		{Pattern: "GET /admin/imports/{import}/results.csv", Needs: needed, File: true, Serve: results},
		{Pattern: "GET /admin/imports/{import}/refused", Needs: needed, File: true, Serve: refusedRows},
		{Pattern: "POST /admin/imports/{import}/{command}", MaxForm: ui.TextForm, Needs: needed, Serve: p.command},
	}
}

type pages struct {
	table, blank, report *ui.Template
	uploads              *limiter.Limiter
}

// path returns the path of an Import.
func path(id enlist.ImportID) string { return "/admin/imports/" + ui.Plain(int64(id)) }

// load returns the Import of the path.
func load(r *ui.Request) (*imports.Import, error) {
	i, err := r.App.Imports.Import(r.Context(), r.Caller, enlist.ImportID(r.ID("import")))
	if errors.Is(err, imports.ErrNoImport) {
		err = ui.ErrNotFound
	}
	return i, err
}

// perPage is the number of Imports on a page.
const perPage = 25

// row is an Import in the table.
type row struct {
	ID                      enlist.ImportID
	File, List, State, Kind string
	When                    string
	time                    int64
	Rows                    int64
	imports.ImportCounts
}

var columns = ui.Columns[row]{
	ui.TextColumn("file", "imports.file_column", func(i *row) string { return i.File }),
	{},
	ui.TimeColumn("time", "imports.when", func(i *row) int64 { return i.time }),
	ui.NumberColumn("rows", "imports.rows_column", func(i *row) int64 { return i.Rows }),
	ui.NumberColumn("new", "imports.new", func(i *row) int64 { return i.Added }),
	ui.NumberColumn("changed", "imports.changed", func(i *row) int64 { return i.Updated }),
	ui.NumberColumn("out", "imports.left_out_column", func(i *row) int64 { return i.Skipped }),
	ui.NumberColumn("refused", "imports.refused", func(i *row) int64 { return i.Refused }),
}

func (p *pages) list(r *ui.Request) (*ui.View, error) {
	all, err := r.App.Imports.AllImports(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	view := &ui.View{Title: r.Text("imports.imports"), Place: "/admin/imports", Content: p.table,
		Actions: []ui.Action{{Text: r.Text("imports.new_import"), Path: "/admin/imports/new", Main: true}}}
	if slices.ContainsFunc(all, func(i imports.Import) bool { return isMoving(&i) }) {
		view.Refresh = 5
	}
	var rows []row
	for n := range all {
		i := &all[n]
		one := row{ID: i.ID, File: nameOf(r, i), List: listName(r, names, i), When: r.Date(i.CreationTime),
			time: i.CreationTime, Rows: i.Rows, ImportCounts: i.ImportCounts}
		one.State, one.Kind = stateOf(r, i)
		rows = append(rows, one)
	}
	rows, find := ui.FindRows(r, rows, func(i *row) string { return i.File })
	t := columns.Table(r, "time", rows, find)
	t.Rows, t.Pager = ui.PageRows(r.URL.Query(), t.Rows, perPage)
	view.Data = t
	return view, nil
}

// isMoving reports whether the numbers of an Import change by themselves.
func isMoving(i *imports.Import) bool { return !i.Ended() && i.State != imports.ImportPaused }

func nameOf(r *ui.Request, i *imports.Import) string {
	if i.Options.FileName != "" {
		return i.Options.FileName
	}
	return r.Text("imports.number", "number", ui.Plain(int64(i.ID)))
}

func listName(r *ui.Request, names map[enlist.ListID]string, i *imports.Import) string {
	if name := names[i.ListID]; name != "" {
		return name
	}
	return r.Text("imports.deleted_list")
}

// states are the keys of the states of Imports, with the classes of their marks.
var states = map[imports.ImportState][2]string{
	imports.ImportUploading: {"imports.uploading", "off"}, imports.ImportWaiting: {"imports.waiting", "off"},
	imports.ImportRunning: {"imports.running"}, imports.ImportPaused: {"imports.paused", "warn"},
	imports.ImportDone: {"imports.imported"}, imports.ImportFailed: {"imports.failed", "warn"},
}

// stateOf returns the state of an Import in words, and the class of its mark.
func stateOf(r *ui.Request, i *imports.Import) (words, class string) {
	state, ok := states[i.State]
	isDry := i.Options.DryRun
	switch {
	case !ok:
		return string(i.State), "off"
	case isDry && i.State == imports.ImportRunning:
		state[0] = "imports.dry_running"
	case isDry && i.State == imports.ImportDone:
		state = [2]string{"imports.dry_done", "off"}
	case !isUnclear(i) || !i.HasKeptFile():
	case needsConsent(i):
		state[0] = "imports.needs_consent"
	case hadMistakes(i):
		state[0] = "imports.had_mistakes"
	default:
		state[0] = "imports.needs_columns"
	}
	return r.Text(state[0]), state[1]
}

// isUnclear reports whether an Import waits for a person to say what its columns are.
func isUnclear(i *imports.Import) bool {
	return i.State == imports.ImportFailed && i.StartTime == 0 && len(i.Columns) > 0
}

// hadMistakes reports whether an Import only has the file of a form with mistakes.
func hadMistakes(i *imports.Import) bool {
	return isUnclear(i) && i.Reason == imports.ErrOnlyKept.Error()
}
