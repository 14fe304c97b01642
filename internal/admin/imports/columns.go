package imports

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file shows what each column becomes. After a dry run the person can choose otherwise.

// maxColumns is the largest number of columns for which the page has selects: each select has all Fields.
const maxColumns = 200

// column is a column of the file.
type column struct {
	Name, Sample string
	Target       string // value of the select
	Text         string // what it becomes, in words
	HasDates     bool
	Pattern      string // of the dates
}

// target is what a column can become.
type target struct{ Value, Text string }

// The values of the select. A prefix tells a Field from a key.
const (
	leftOut  = ""
	newField = "new"
	ofField  = "field:"
	ofKey    = "key:"
)

// keys are the columns that are no Fields, in words. reference.md: import.keys
func keys() []target {
	return []target{{"creation_time", "when the person joined"}, {"double_opt_in_time", "when the person confirmed"},
		{"is_active", "whether the Contact is active"}, {"is_bounce_deactivated", "whether mails came back"},
		{"is_unsubscribed", "whether the person has unsubscribed"},
		{"unsubscribed_time", "when the person unsubscribed"}, {"consent_type", "type of consent"},
		{"consent_text", "statement of consent"}, {"consent_time", "time of consent"},
		{"consent_ip", "IP address of consent"}, {"consent_preferences", "preferences"}}
}

// patterns are how dates are written. reference.md: import.cells
func patterns() []target {
	return []target{{"", "written 2026-01-31"}, {"DD.MM.YYYY", "written 31.01.2026"},
		{"DD/MM/YYYY", "written 31/01/2026"}, {"MM/DD/YYYY", "written 01/31/2026"},
		{"DD.MM.YYYY HH:MM", "written 31.01.2026 17:05"},
		{"MM/DD/YYYY HH:MM", "written 01/31/2026 17:05"}, {"YYYYMMDD", "written 20260131"},
		{"excel", "numbers of a spreadsheet"}}
}

// hasDates reports whether a column becomes a date, or may be one.
func hasDates(fields []enlist.Field, c *imports.ImportColumn) bool {
	if c.New != nil {
		return c.New.Type == enlist.Date || c.New.Type == enlist.Text // dates that were not recognised are texts
	}
	if c.Field == 0 {
		return strings.HasSuffix(c.Target, "_time")
	}
	return slices.ContainsFunc(fields, func(f enlist.Field) bool { return f.ID == c.Field && f.Type == enlist.Date })
}

// patternOf returns the pattern of the dates of a column.
func patternOf(o *imports.ImportOptions, name string) string {
	for _, m := range o.Dates {
		if m.Column == name {
			return m.Target
		}
	}
	return ""
}

// describeColumns fills the columns, with the first values of a file that is still stored.
func (d *data) describeColumns(r *ui.Request, i *imports.Import) error {
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, i.ListID, enlist.Query{})
	if err != nil && enlist.KindOf(err) != enlist.NoList {
		return err
	}
	d.Targets = append(d.Targets, target{leftOut, "is left out"})
	for n := range fields {
		d.Targets = append(d.Targets, target{ofField + fields[n].Name, fields[n].Name})
	}
	for _, k := range keys() {
		d.Targets = append(d.Targets, target{ofKey + k.Value, k.Text})
	}
	if r.Caller.Key.Level >= enlist.Full && i.Options.As == imports.AsContacts {
		d.Targets = append(d.Targets, target{newField, "a new Field"})
	}
	d.Patterns, d.MayChoose = patterns(), i.HasKeptFile() && len(i.Columns) <= maxColumns
	sample, err := r.App.Imports.KeptSample(r.Context(), r.Caller, i.ID, sampleRows)
	if err != nil && enlist.KindOf(err) == enlist.Internal && !errors.Is(err, imports.ErrNoMemory) {
		return err
	}
	if sample != nil {
		d.Form = formOf(sample)
	}
	chosen := r.PostForm["target"] // of a form that was refused: the page shows it again
	for n := range i.Columns {
		c := column{Name: i.Columns[n].Name, Target: valueOf(&i.Columns[n]), HasDates: hasDates(fields, &i.Columns[n])}
		c.Pattern = patternOf(&i.Options, c.Name)
		c.Text = d.textOf(&i.Columns[n], c.Target)
		if len(chosen) == len(i.Columns) {
			c.Target, c.Pattern = chosen[n], r.PostForm.Get(dateInput(n))
			c.Text, c.HasDates = d.textOf(new(imports.ImportColumn), c.Target), c.HasDates || c.Pattern != ""
		}
		if sample != nil {
			c.Sample = sampleOf(sample, n)
		}
		d.Columns = append(d.Columns, c)
	}
	return nil
}

// valueOf returns what a column becomes as a value of the select.
func valueOf(c *imports.ImportColumn) string {
	switch {
	case c.Target == "":
		return leftOut
	case c.New != nil && c.Field == 0:
		return newField
	case c.Field != 0:
		return ofField + c.Target
	}
	return ofKey + c.Target
}

func (d *data) textOf(c *imports.ImportColumn, value string) string {
	if c.New != nil {
		return "a new Field: " + string(c.New.Type)
	}
	for _, t := range d.Targets {
		if t.Value == value {
			return t.Text
		}
	}
	return c.Target
}

// sampleOf returns the first values of a column.
func sampleOf(s *imports.Sample, n int) string {
	const most = 60
	var values []string
	for _, row := range s.Rows {
		if n < len(row) && row[n] != "" {
			value := []rune(row[n])
			if len(value) > most {
				value = append(value[:most], '…')
			}
			values = append(values, string(value))
		}
	}
	return strings.Join(values, " · ")
}

// dateInput is the name of the select that says how the dates of a column are written.
func dateInput(n int) string { return "date-" + strconv.Itoa(n) }

// chooseColumns starts a dry run of the same file in which the columns become what the person chose.
func chooseColumns(r *ui.Request, i *imports.Import) (enlist.ImportID, error) {
	if err := r.ParseForm(); err != nil {
		return 0, enlist.Invalid("map", "the browser sent a form that cannot be read: try again")
	}
	chosen := r.PostForm["target"]
	if len(chosen) != len(i.Columns) {
		return 0, enlist.Invalid("map", "the browser did not send all columns: try again")
	}
	var all, dates []imports.ImportMapping
	hasNew := false
	for n, value := range chosen {
		name := i.Columns[n].Name
		m := imports.ImportMapping{Column: name}
		field, isField := strings.CutPrefix(value, ofField)
		key, isKey := strings.CutPrefix(value, ofKey)
		switch {
		case isField:
			m.Target = field
		case isKey:
			m.Target = key
		case value == newField:
			m.Target, hasNew = name, true
		}
		all = append(all, m)
		if pattern := r.PostForm.Get(dateInput(n)); pattern != "" {
			dates = append(dates, imports.ImportMapping{Column: name, Target: pattern})
		}
	}
	return again(r, i, func(o *imports.ImportOptions) {
		readsOtherwise := *o
		if readAnswers(r, o); o.Encoding != readsOtherwise.Encoding || o.Delimiter != readsOtherwise.Delimiter ||
			o.NoHeader != readsOtherwise.NoHeader {
			all, dates, hasNew = nil, nil, o.AddFields // the file has other columns now
		}
		o.Map, o.Dates, o.AddFields, o.DryRun, o.KeepFile = all, dates, hasNew, true, true
	})
}
