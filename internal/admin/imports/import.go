package imports

import (
	"errors"
	"fmt"
	"html/template"
	"strings"
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
	Outcomes    string // title of the outcomes
	Bar         template.HTML
	Parts       []part
	Total       int64
	Form        string // what the service recognised in the file
	Columns     []column
	Targets     []target
	MayChoose   bool
	Refusals    []imports.Refusal
	Answers     answers
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
	d := data{ID: i.ID, Moving: isMoving(i), Read: min(i.Bytes, i.Size), Size: i.Size, Buttons: buttonsOf(i),
		Progress: progressOf(r, i), Total: i.Total(), HasResults: i.Total() > 0 && i.State != imports.ImportRunning}
	d.State, d.Kind = stateOf(i)
	d.Speed = speedOf(r, i)
	d.sayWhatNext(r, i)
	d.countOutcomes(i)
	d.ask(r, i, wrong)
	if d.Answers.NoMail, err = r.NoMail(); err != nil {
		return nil, err
	}
	if !d.Moving {
		d.Said = said(i)
	}
	if err := d.describeColumns(r, i); err != nil {
		return nil, err
	}
	if !d.Moving && i.Refused > 0 {
		if d.Refusals, err = r.App.Imports.Refusals(r.Context(), r.Caller, i.ID, perReason); err != nil {
			return nil, err
		}
	}
	v := &ui.View{Title: nameOf(i), Place: "/admin/imports", Content: p.one_, Data: &d, Problem: problem,
		Sub: fmt.Sprintf("For %s · %s, by %s, %s (%s)", listName(names, i), ui.Size(i.Size), i.CreatorName,
			r.Date(i.CreationTime), r.Zone())}
	if d.Moving {
		v.Refresh = 2
	}
	return v, nil
}

func buttonsOf(i *imports.Import) []button {
	cancel := button{"cancel", "Cancel"}
	switch i.State {
	case imports.ImportUploading:
		return []button{cancel}
	case imports.ImportWaiting, imports.ImportRunning:
		return []button{{"pause", "Pause"}, cancel}
	case imports.ImportPaused:
		return []button{{"resume", "Go on"}, cancel}
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
	c := &ui.Chart{Title: "Rows a second", Axis: "From (" + r.Zone() + ")", Series: []string{"rows a second"}}
	format := "15:04:05"
	if i.Speed.Every*int64(len(i.Speed.Rows)) > enlist.Day {
		format = "2 Jan 15:04"
	}
	for n, rows := range i.Speed.PerSecond(secondsOf(r, i)) {
		at := time.Unix(i.StartTime+int64(n)*i.Speed.Every, 0).In(r.Now.Location())
		c.Points = append(c.Points, ui.Point{Label: at.Format(format), Values: []int64{rows}})
	}
	plot := c.Plot((*ui.Chart).Lines)
	return &plot
}

// progressOf says how fast an Import is, and how long it takes.
func progressOf(r *ui.Request, i *imports.Import) string {
	rows, seconds := ui.Count(i.Rows, "row"), secondsOf(r, i)
	switch {
	case i.StartTime == 0:
		return ""
	case i.Ended() && seconds < 1:
		return rows + " in less than a second"
	case i.Ended():
		return fmt.Sprintf("%s in %s, %s a second", rows, duration(seconds), ui.Number(i.Rows/seconds))
	case i.State != imports.ImportRunning || i.Bytes == 0 || seconds < 1:
		return rows
	}
	left := float64(seconds) * float64(i.Size-i.Bytes) / float64(i.Bytes)
	return fmt.Sprintf("%s, %s a second, about %s left", rows, ui.Number(i.Rows/seconds), duration(max(1, int64(left))))
}

// duration writes a number of seconds as people read it.
func duration(seconds int64) string {
	switch {
	case seconds < 2*60:
		return ui.Count(seconds, "second")
	case seconds < 2*60*60:
		return ui.Count((seconds+30)/60, "minute")
	}
	return ui.Count((seconds+30*60)/(60*60), "hour")
}

// gone says that the service has no file.
const gone = "The file is no longer here: a later Import has it, or a day has passed."

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
		d.Next = "It was not clear what the columns are. " + gone
		return
	case i.State == imports.ImportFailed || i.State == imports.ImportPaused:
		d.Reason = ui.Sentence(i.Reason)
	}
	switch {
	case i.Ended() && !i.Options.DryRun && i.State != imports.ImportDone && i.Total() > 0:
		d.Next = r.Text("imports.what_was_stored_before_stays")
	case !i.Options.DryRun || !i.Ended():
	case !i.HasKeptFile():
		d.Next = "Nothing was stored. " + gone
	case i.State == imports.ImportFailed:
		d.Next = r.Text("imports.nothing_was_stored")
	case stored == 0:
		d.Next = r.Text("imports.no_row_file_would_change")
	default:
		d.Ready = "Import " + ui.Count(stored, "row") + " now"
		d.Next = "Nothing is stored yet. The file stays here for a day, until " + r.Date(i.EndTime+enlist.Day) + "."
	}
}

// outcomes are the outcomes of rows by what the rows are: Contacts, unsubscribers (also after complaints), bounced.
func outcomes(as string) [5]string {
	switch as {
	case imports.AsUnsubscribers, imports.AsComplained:
		return [5]string{"no Contact, now on the Unsubscriber List", "Contacts unsubscribed", "had unsubscribed before",
			"",
			"not valid"}
	case imports.AsBounced:
		return [5]string{"", "Contacts deactivated", "were deactivated before", "no Contact has the address",
			"not valid"}
	}
	return [5]string{"new Contacts", "Contacts with new values", "on the List already, or the same",
		"have unsubscribed, or the file says so", "not valid"}
}

// countOutcomes fills the bar and the table of outcomes.
func (d *data) countOutcomes(i *imports.Import) {
	d.Outcomes = "What happened"
	switch {
	case i.Options.DryRun:
		d.Outcomes = "What would happen"
	case !i.Ended():
		d.Outcomes = "So far"
	}
	var bar []ui.Part
	what := outcomes(i.Options.As)
	for n, p := range []ui.Part{{Name: "Added", Class: "s1", Count: i.Added},
		{Name: "Updated", Class: "s2", Count: i.Updated},
		{Name: "Unchanged", Class: "s3", Count: i.Unchanged}, {Name: "Skipped", Class: "s4", Count: i.Skipped},
		{Name: "Refused", Class: "s5", Count: i.Refused}} {
		bar = append(bar, p)
		if p.Count > 0 || what[n] != "" {
			d.Parts = append(d.Parts, part{p, what[n], ui.Percent(p.Count, i.Total())})
		}
	}
	d.Bar = ui.Stack("Rows by what became of them", bar)
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
		done, err = r.Text("imports.cancelled_rows_stored_stay"), r.App.Imports.CancelImport(r.Context(), r.Caller, i.ID)
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
		return p.page(r, ui.Sentence(known.Error()), wrong)
	case err != nil && isTemporary(err):
		return p.page(r, ui.Sentence(err.Error()), wrong)
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
func formOf(s *imports.Sample) string {
	var all []string
	switch {
	case s.Format == "csv" || s.Format == "tsv":
		between := map[string]string{",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}[s.Delimiter]
		if between == "" {
			between = s.Delimiter
		}
		all = append(all, "text with "+between+" between the columns")
	case s.Format == "xlsx":
		all = append(all, "the sheet “"+s.Entry+"” of a workbook")
	default:
		all = append(all, "a JSON object in each line")
	}
	if s.Encoding != "" {
		all = append(all, "characters in "+s.Encoding)
	}
	if s.Compression != "" {
		all = append(all, "packed with "+s.Compression)
	}
	if !s.Header {
		all = append(all, "no row that names the columns")
	}
	if s.Titles > 0 {
		all = append(all, ui.Count(int64(s.Titles), "row")+" above the names of the columns, left out")
	}
	return strings.Join(all, ", ")
}
