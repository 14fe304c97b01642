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
	Written      *written
}

// written is a select that says how the dates or numbers of a column are written.
type written struct {
	Name, Label, Value string
	Choices            []target
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
func keys(r *ui.Request) []target {
	return []target{{"creation_time", r.Text("imports.joined")}, {"double_opt_in_time", r.Text("imports.confirmed")},
		{"is_active", r.Text("imports.active")}, {"is_bounce_deactivated", r.Text("imports.bounced")},
		{"is_unsubscribed", r.Text("imports.unsubscribed")},
		{"unsubscribed_time", r.Text("imports.unsubscribed_time")}, {"consent_type", r.Text("imports.consent_type")},
		{"consent_text", r.Text("imports.consent_text")}, {"consent_time", r.Text("imports.consent_time")},
		{"consent_ip", r.Text("imports.consent_ip")}, {"consent_preferences", r.Text("imports.preferences")}}
}

// patterns are how dates are usually written. reference.md: import.cells
var patterns = []string{"DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "DD.MM.YYYY HH:MM", "MM/DD/YYYY HH:MM", "YYYYMMDD",
	"excel"}

// example returns a date or a number as a pattern writes it.
func example(r *ui.Request, pattern string) string {
	switch pattern {
	case imports.DecimalComma:
		return "1.234,50"
	case imports.DecimalPoint:
		return "1,234.50"
	case "excel":
		return r.Text("imports.serial_dates")
	}
	return strings.NewReplacer("YYYY", "2026", "YY", "26", "HH", "17", ":MM", ":05", "SS", "30", "MMM", "Jan", "MM", "01",
		"DD", "31").Replace(pattern)
}

// choicesOf returns the choices of a select. The first one is what holds without a choice: what the values show, or else
// the usual.
func choicesOf(r *ui.Request, found, usual string, isOpen bool, patterns []string) []target {
	all := []target{{"", usual}}
	switch {
	case isOpen:
		all[0].Text = r.Text("imports.choose_written")
	case found != "":
		all[0].Text = r.Text("imports.written_as_shown", "example", example(r, found))
	}
	for n, pattern := range patterns {
		if pattern != "" && pattern != found && !slices.Contains(patterns[:n], pattern) {
			all = append(all, target{pattern, r.Text("imports.written", "example", example(r, pattern))})
		}
	}
	return all
}

// writtenOf returns the select of a column with dates or numbers, or nil.
func writtenOf(r *ui.Request, fields []enlist.Field, c *imports.ImportColumn, o *imports.ImportOptions, n int) *written {
	chosen, chosenDate := targetOf(o.Decimals, c.Name), targetOf(o.Dates, c.Name)
	var f imports.ColumnFormat
	if c.Format != nil {
		f = *c.Format
	}
	isOpen := f.Choices != nil
	hasNumbers := slices.Contains(f.Choices, imports.DecimalComma) || isOfType(fields, c, (*enlist.Field).Numeric)
	isDate := func(f *enlist.Field) bool { return f.Type == enlist.Date }
	switch {
	case hasNumbers:
		if chosen == "" && o.DecimalComma {
			chosen = imports.DecimalComma
		}
		return &written{writtenInput(decimalInput, n), r.Text("imports.numbers_of", "column", c.Name), chosen,
			choicesOf(r, f.Decimal, r.Text("imports.written", "example", "1234.50"), isOpen,
				[]string{imports.DecimalComma, imports.DecimalPoint})}
	case chosenDate != "", isOfType(fields, c, isDate), c.New != nil && c.New.Type == enlist.Text, // dates that were not recognised are texts
		c.New == nil && c.Field == 0 && strings.HasSuffix(c.Target, "_time"):
		usual := r.Text("imports.written", "example", "2026-01-31")
		if c.New != nil && c.New.Type == enlist.Text {
			usual = r.Text("imports.no_dates")
		}
		return &written{writtenInput(dateInput, n), r.Text("imports.dates_of", "column", c.Name), chosenDate,
			choicesOf(r, f.Date, usual, isOpen, slices.Concat(f.Choices, patterns, []string{chosenDate}))}
	}
	return nil
}

// isOfType reports whether the Field of a column, or the one that it will get, is of a type.
func isOfType(fields []enlist.Field, c *imports.ImportColumn, is func(*enlist.Field) bool) bool {
	if c.New != nil {
		return is(&enlist.Field{Type: c.New.Type})
	}
	return slices.ContainsFunc(fields, func(f enlist.Field) bool { return f.ID == c.Field && is(&f) })
}

// targetOf returns what the options say about a column.
func targetOf(all []imports.ImportMapping, name string) string {
	for _, m := range all {
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
	d.Targets = append(d.Targets, target{leftOut, r.Text("imports.left_out")})
	for n := range fields {
		d.Targets = append(d.Targets, target{ofField + fields[n].Name, fields[n].Name})
	}
	for _, k := range keys(r) {
		d.Targets = append(d.Targets, target{ofKey + k.Value, k.Text})
	}
	if r.Caller.Key.Level >= enlist.Full && i.Options.As == imports.AsContacts {
		d.Targets = append(d.Targets, target{newField, r.Text("imports.new_field")})
	}
	d.MayChoose = i.HasKeptFile() && len(i.Columns) <= maxColumns
	sample, err := r.App.Imports.KeptSample(r.Context(), r.Caller, i.ID, sampleRows)
	if err != nil && enlist.KindOf(err) == enlist.Internal && !errors.Is(err, imports.ErrNoMemory) {
		return err
	}
	if sample != nil {
		d.Form = formOf(r, sample)
	}
	chosen, o := r.PostForm["target"], i.Options // of a form that was refused: the page shows it again
	if len(chosen) == len(i.Columns) {
		o.Dates, o.Decimals, o.DecimalComma = postedFormats(r, i, dateInput), postedFormats(r, i, decimalInput), false
	}
	for n := range i.Columns {
		c := column{Name: i.Columns[n].Name, Target: valueOf(&i.Columns[n]),
			Written: writtenOf(r, fields, &i.Columns[n], &o, n)}
		c.Text = d.textOf(r, &i.Columns[n], c.Target)
		if len(chosen) == len(i.Columns) {
			c.Target, c.Text = chosen[n], d.textOf(r, new(imports.ImportColumn), chosen[n])
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

func (d *data) textOf(r *ui.Request, c *imports.ImportColumn, value string) string {
	if c.New != nil {
		return r.Text("imports.new_field_of", "type", string(c.New.Type))
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

// The selects that say how the values of a column are written.
const (
	dateInput    = "date"
	decimalInput = "decimal"
)

// writtenInput is the name of such a select for a column.
func writtenInput(of string, n int) string { return of + "-" + strconv.Itoa(n) }

// postedFormats returns how the values of columns are written, by the selects of the form.
func postedFormats(r *ui.Request, i *imports.Import, of string) (all []imports.ImportMapping) {
	for n := range i.Columns {
		if pattern := r.PostForm.Get(writtenInput(of, n)); pattern != "" {
			all = append(all, imports.ImportMapping{Column: i.Columns[n].Name, Target: pattern})
		}
	}
	return all
}

// chooseColumns starts a dry run of the same file in which the columns become what the person chose.
func chooseColumns(r *ui.Request, i *imports.Import) (enlist.ImportID, error) {
	if err := r.ParseForm(); err != nil {
		return 0, enlist.Invalid("map", r.Text("imports.broken_form"))
	}
	chosen := r.PostForm["target"]
	if len(chosen) != len(i.Columns) {
		return 0, enlist.Invalid("map", r.Text("imports.all_columns"))
	}
	var all []imports.ImportMapping
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
	}
	return again(r, i, func(o *imports.ImportOptions) {
		readsOtherwise := *o
		if readAnswers(r, o); o.Encoding != readsOtherwise.Encoding || o.Delimiter != readsOtherwise.Delimiter ||
			o.NoHeader != readsOtherwise.NoHeader {
			all, hasNew = nil, o.AddFields // the file has other columns now
			o.Dates, o.Decimals = nil, nil
		} else {
			o.Dates, o.Decimals = postedFormats(r, i, dateInput), postedFormats(r, i, decimalInput)
			o.DecimalComma = false // each column has its own
		}
		o.Map, o.AddFields, o.DryRun, o.KeepFile = all, hasNew, true, true
	})
}
