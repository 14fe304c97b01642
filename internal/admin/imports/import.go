package imports

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file has the page of one Import, and its buttons.

const (
	perReason  = 50 // refused rows that the page shows of each reason
	sampleRows = 3  // rows of the file that the page shows
)

// data is the data of the page.
type data struct {
	ID          enlist.ImportID
	State, Kind string
	Reason      string // why the Import failed or was paused
	Moving      bool
	Read, Size  int64    // bytes of the file
	Progress    string   // in words
	Speed       *ui.Plot // nil: too short for a chart
	Buttons     []button
	Ready       string // the button that imports the file of the dry run; "": none
	Next        string // what the person can do
	Outcomes    string // key of the title of the outcomes
	Bar         template.HTML
	Parts       []part
	Total       int64
	Form        string // what the service recognised in the file
	Columns     []column
	MayChoose   bool
	Refusals    []imports.Refusal
	Questions   ui.Form
	FileForm    ui.Form  // how the file is written
	Said        []string // what became of what is not stored
	HasResults  bool
}

// button changes the Import.
type button struct{ Name, Text string }

// part is an outcome of rows.
type part struct {
	ui.Part
	What, Share string
}

func (p *pages) show(r *ui.Request) (*ui.View, error) { return p.page(r, "", nil) }

// page is the page of the Import. problem says what was wrong with a request to change it, and wrong which answers were.
func (p *pages) page(r *ui.Request, problem string, wrong map[string]string) (*ui.View, error) {
	i, err := load(r)
	if err != nil {
		return nil, err
	}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	d := data{ID: i.ID, Moving: isMoving(i), Read: min(i.Bytes, i.Size), Size: i.Size, Buttons: buttonsOf(r, i),
		Progress: progressOf(r, i), Total: i.Total(), HasResults: i.Total() > 0 && i.State != imports.ImportRunning}
	d.State, d.Kind = stateOf(r, i)
	d.Speed = speedOf(r, i)
	d.sayWhatNext(r, i)
	d.countOutcomes(r, i)
	noMail, err := r.NoMail()
	if err != nil {
		return nil, err
	}
	d.Questions, d.FileForm = ask(r, i, noMail, wrong), writtenForm(r, i.Options)
	if !d.Moving {
		d.Said = said(r, i)
	}
	if err := d.describeColumns(r, i); err != nil {
		return nil, err
	}
	if !d.Moving && i.Refused > 0 {
		if d.Refusals, err = r.App.Imports.Refusals(r.Context(), r.Caller, i.ID, perReason); err != nil {
			return nil, err
		}
	}
	v := &ui.View{Title: nameOf(r, i), Place: "/admin/imports", Content: p.report, Data: &d, Problem: problem,
		Sub: r.Text("imports.sub", "list", listName(r, names, i), "size", r.Language.Size(i.Size), "user", i.CreatorName,
			"time", r.Date(i.CreationTime), "zone", r.Zone())}
	if d.Moving {
		v.Refresh = 2
	}
	return v, nil
}

func buttonsOf(r *ui.Request, i *imports.Import) []button {
	cancel := button{"cancel", r.Text("imports.cancel")}
	switch i.State {
	case imports.ImportUploading:
		return []button{cancel}
	case imports.ImportWaiting, imports.ImportRunning:
		return []button{{"pause", r.Text("imports.pause")}, cancel}
	case imports.ImportPaused:
		return []button{{"resume", r.Text("imports.resume")}, cancel}
	}
	return nil
}

// secondsOf is the time since the start of an Import, or until its end.
func secondsOf(r *ui.Request, i *imports.Import) int64 {
	if i.Ended() {
		return i.EndTime - i.StartTime
	}
	return r.Now.Unix() - i.StartTime
}

// speedOf shows how fast an Import was over time.
func speedOf(r *ui.Request, i *imports.Import) *ui.Plot {
	if len(i.Speed.Rows) < 2 {
		return nil
	}
	c := &ui.Chart{Language: r.Language, Title: r.Text("imports.speed"), Axis: r.Text("imports.speed_axis", "zone", r.Zone()),
		Series: []string{r.Text("imports.speed_series")}}
	label := func(at time.Time) string { return at.Format(time.TimeOnly) }
	if i.Speed.Every*int64(len(i.Speed.Rows)) > enlist.Day {
		label = func(at time.Time) string { return r.Language.Time("moment", at) }
	}
	for n, rows := range i.Speed.PerSecond(secondsOf(r, i)) {
		at := time.Unix(i.StartTime+int64(n)*i.Speed.Every, 0).In(r.Now.Location())
		c.Points = append(c.Points, ui.Point{Label: label(at), Values: []int64{rows}})
	}
	plot := c.Plot((*ui.Chart).Lines)
	return &plot
}

// progressOf says how fast an Import is, and how long it takes.
func progressOf(r *ui.Request, i *imports.Import) string {
	seconds := secondsOf(r, i)
	switch {
	case i.StartTime == 0:
		return ""
	case i.Ended() && seconds < 1:
		return r.Text("imports.done_quickly", "n", i.Rows)
	case i.Ended():
		return r.Text("imports.done_in", "n", i.Rows, "time", r.Span(seconds), "speed", i.Rows/seconds)
	case i.State != imports.ImportRunning || i.Bytes == 0 || seconds < 1:
		return r.Text("imports.rows_read", "n", i.Rows)
	}
	left := float64(seconds) * float64(i.Size-i.Bytes) / float64(i.Bytes)
	return r.Text("imports.going", "n", i.Rows, "speed", i.Rows/seconds, "time", r.Span(max(1, int64(left))))
}

// sayWhatNext says why an Import has ended, and what the person can do now.
func (d *data) sayWhatNext(r *ui.Request, i *imports.Import) {
	stored := i.Added + i.Updated
	switch {
	case needsConsent(i) && i.HasKeptFile():
		d.Next = r.Text("imports.file_here_nothing_stored_yet")
		return
	case hadMistakes(i) && i.HasKeptFile():
		d.Next = r.Text("imports.form_file_had_mistake_so")
		return
	case isUnclear(i) && i.HasKeptFile():
		d.Next = r.Text("imports.say_what_columns_one_them")
		return
	case isUnclear(i):
		d.Next = r.Text("imports.unclear_gone")
		return
	case i.State == imports.ImportFailed || i.State == imports.ImportPaused:
		d.Reason = r.Said(i.Reason)
	}
	switch {
	case i.Ended() && !i.Options.DryRun && i.State != imports.ImportDone && i.Total() > 0:
		d.Next = r.Text("imports.what_was_stored_before_stays")
	case !i.Options.DryRun || !i.Ended():
	case !i.HasKeptFile():
		d.Next = r.Text("imports.nothing_gone")
	case i.State == imports.ImportFailed:
		d.Next = r.Text("imports.nothing_was_stored")
	case stored == 0:
		d.Next = r.Text("imports.no_row_file_would_change")
	default:
		d.Ready = r.Text("imports.import_now", "n", stored)
		d.Next = r.Text("imports.stays_until", "time", r.Date(i.EndTime+enlist.Day))
	}
}

// outcomes are the keys of what the outcomes of rows mean, by what the rows are; "": the outcome says it.
var outcomes = map[string][5]string{
	imports.AsContacts: {"imports.added_contacts", "imports.updated_contacts", "imports.unchanged_contacts",
		"imports.skipped_contacts", "imports.not_valid"},
	imports.AsUnsubscribers: {"imports.added_unsubscribers", "imports.updated_unsubscribers",
		"imports.unchanged_unsubscribers", "", "imports.not_valid"},
	imports.AsBounced: {"", "imports.updated_bounced", "imports.unchanged_bounced", "imports.skipped_bounced",
		"imports.not_valid"},
}

// countOutcomes fills the bar and the table of outcomes.
func (d *data) countOutcomes(r *ui.Request, i *imports.Import) {
	d.Outcomes = "imports.happened"
	switch {
	case i.Options.DryRun:
		d.Outcomes = "imports.would_happen"
	case !i.Ended():
		d.Outcomes = "imports.so_far"
	}
	var bar []ui.Part
	as := cmp.Or(i.Options.As, imports.AsContacts)
	if as == imports.AsComplained {
		as = imports.AsUnsubscribers
	}
	for n, p := range []ui.Part{{Name: r.Text("imports.added"), Class: "s1", Count: i.Added},
		{Name: r.Text("imports.updated"), Class: "s2", Count: i.Updated},
		{Name: r.Text("imports.unchanged"), Class: "s3", Count: i.Unchanged}, {Name: r.Text("imports.skipped"),
			Class: "s4", Count: i.Skipped},
		{Name: r.Text("imports.refused"), Class: "s5", Count: i.Refused}} {
		bar = append(bar, p)
		if what := outcomes[as][n]; p.Count > 0 || what != "" {
			d.Parts = append(d.Parts, part{p, what, r.Language.Percent(p.Count, i.Total())})
		}
	}
	d.Bar = r.Stack(r.Text("imports.bar"), bar)
}

// command changes the Import, or imports the file of a dry run.
func (p *pages) command(r *ui.Request) (*ui.View, error) {
	i, err := load(r)
	if err != nil {
		return nil, err
	}
	to, done, wrong := i.ID, "", map[string]string(nil)
	switch r.PathValue("command") {
	case "pause":
		done, err = r.Text("imports.paused_rows_stored_stay"), r.App.Imports.PauseImport(r.Context(), r.Caller, i.ID)
	case "resume":
		err = r.App.Imports.ResumeImport(r.Context(), r.Caller, i.ID)
	case "cancel":
		done, err = r.Text("imports.cancelled_rows_stored_stay"), r.App.Imports.CancelImport(r.Context(), r.Caller,
			i.ID)
	case "run":
		to, wrong, err = run(r, i)
	case "columns":
		to, err = chooseColumns(r, i)
	default:
		return nil, ui.ErrNotFound
	}
	known, ok := errors.AsType[*enlist.Error](err)
	switch {
	case ok && known.Kind != enlist.Internal:
		return p.page(r, r.Said(known.Error()), wrong)
	case err != nil && isTemporary(err):
		return p.page(r, r.Said(err.Error()), wrong)
	case err != nil:
		return nil, err
	}
	return ui.GoTo(path(to), done), nil
}

// isTemporary reports whether the server has no room for an Import at the moment.
func isTemporary(err error) bool {
	_, full := errors.AsType[imports.NoRoom](err)
	return full || errors.Is(err, imports.ErrNoMemory)
}

// again imports the file of a dry run, and returns the new Import.
func again(r *ui.Request, i *imports.Import, change func(*imports.ImportOptions)) (enlist.ImportID, error) {
	next, err := r.App.Imports.ImportKept(r.Context(), r.Caller, i.ID, change)
	if err != nil {
		return 0, err
	}
	return next.ID, nil
}

// results sends what became of each row as CSV, or only the rows of some outcomes.
func results(r *ui.Request) (*ui.View, error) {
	i, err := load(r)
	if err != nil {
		return nil, err
	}
	file := r.Download("text/csv; charset=utf-8", fmt.Sprintf("import-%d.csv", i.ID))
	file.Write([]byte(ui.ByteOrderMark)) // the next call returns an error of it
	return file.End(r.App.Imports.WriteResults(r.Context(), r.Caller, i.ID,
		imports.ResultFile{CSV: true, Only: r.URL.Query()["outcome"]}, file))
}

// formOf says what the service recognised in a file.
func formOf(r *ui.Request, s *imports.Sample) string {
	var all []string
	switch {
	case s.Format == "csv" || s.Format == "tsv":
		between := map[string]string{",": r.Text("imports.commas"), ";": r.Text("imports.semicolons"),
			"\t": r.Text("imports.tabs"), "|": r.Text("imports.bars")}[s.Delimiter]
		if between == "" {
			between = s.Delimiter
		}
		all = append(all, r.Text("imports.form_text", "characters", between))
	case s.Format == "xlsx":
		all = append(all, r.Text("imports.form_sheet", "sheet", s.Entry))
	default:
		all = append(all, r.Text("imports.form_json"))
	}
	if s.Encoding != "" {
		all = append(all, r.Text("imports.form_encoding", "encoding", s.Encoding))
	}
	if s.Compression != "" {
		all = append(all, r.Text("imports.form_packed", "program", s.Compression))
	}
	if !s.Header {
		all = append(all, r.Text("imports.form_no_header"))
	}
	if s.Titles > 0 {
		all = append(all, r.Text("imports.form_titles", "n", s.Titles))
	}
	return r.Language.Series(all)
}
