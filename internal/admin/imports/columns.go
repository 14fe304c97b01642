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
	Text         string    // what it becomes, in words
	Target       ui.Input  // chooses it
	Written      *ui.Input // chooses how its dates or numbers are written; nil: it has none
}

// The values of the select. A prefix tells a Field from a key.
const (
	leftOut  = ""
	newField = "new"
	ofField  = "field:"
	ofKey    = "key:"
)

// keys are the columns that are no Fields, with their texts. reference.md: import.keys
var keys = [][2]string{{"creation_time", "imports.joined"}, {"double_opt_in_time", "imports.confirmed"},
	{"is_active", "imports.active"}, {"is_bounce_deactivated", "imports.bounced"},
	{"is_unsubscribed", "imports.unsubscribed"}, {"unsubscribed_time", "imports.unsubscribed_time"},
	{"consent_type", "imports.consent_type"}, {"consent_text", "imports.consent_text"},
	{"consent_time", "imports.consent_time"}, {"consent_ip", "imports.consent_ip"},
	{"consent_preferences", "imports.preferences"}, {"tracking_consent", "imports.tracking_consent"},
	{"tracking_text", "imports.tracking_text"}, {"tracking_text_version", "imports.tracking_text_version"},
	{"contact_language", "imports.contact_language"}}

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

// choiceOf returns a select of patterns. Its first option is what holds without a choice: what the values show, or else
// the usual.
func choiceOf(r *ui.Request, of string, n int, label, chosen, found, usual string, isOpen bool,
	patterns []string) *ui.Input {
	switch {
	case isOpen:
		usual = r.Text("imports.choose_written")
	case found != "":
		usual = r.Text("imports.written_as_shown", "example", example(r, found))
	}
	in := ui.Input{Name: writtenInput(of, n), Hidden: label, Kind: ui.InputChoice, Value: chosen,
		Options: ui.Choices("", usual)}
	for n, pattern := range patterns {
		if pattern != "" && pattern != found && !slices.Contains(patterns[:n], pattern) {
			in.Options = append(in.Options, ui.Option{Value: pattern,
				Text: r.Text("imports.written", "example", example(r, pattern))})
		}
	}
	return &in
}

// writtenOf returns the select of a column with dates or numbers, or nil.
func writtenOf(r *ui.Request, fields []enlist.Field, c *imports.ImportColumn, o *imports.ImportOptions,
	n int) *ui.Input {
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
		return choiceOf(r, decimalInput, n, r.Text("imports.numbers_of", "column", c.Name), chosen, f.Decimal,
			r.Text("imports.written", "example", "1234.50"), isOpen, []string{imports.DecimalComma, imports.DecimalPoint})
	case chosenDate != "", isOfType(fields, c, isDate), c.New != nil && c.New.Type == enlist.Text, // dates that were not recognised are texts
		c.New == nil && c.Field == 0 && strings.HasSuffix(c.Target, "_time"):
		usual := r.Text("imports.written", "example", "2026-01-31")
		if c.New != nil && c.New.Type == enlist.Text {
			usual = r.Text("imports.no_dates")
		}
		return choiceOf(r, dateInput, n, r.Text("imports.dates_of", "column", c.Name), chosenDate, f.Date, usual, isOpen,
			slices.Concat(f.Choices, patterns, []string{chosenDate}))
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
	targets := ui.Choices(leftOut, r.Text("imports.left_out"))
	for n := range fields {
		targets = append(targets, ui.Option{Value: ofField + fields[n].Name, Text: fields[n].Name})
	}
	for _, k := range keys {
		targets = append(targets, ui.Option{Value: ofKey + k[0], Text: r.Text(k[1])})
	}
	if r.Caller.May(enlist.Manage) && i.Options.As == imports.AsContacts {
		targets = append(targets, ui.Option{Value: newField, Text: r.Text("imports.new_field")})
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
		one := &i.Columns[n]
		c := column{Name: one.Name, Written: writtenOf(r, fields, one, &o, n), Target: ui.Input{Name: "target",
			Kind: ui.InputChoice, Value: valueOf(one), Hidden: r.Text("imports.what_column_becomes", "name", one.Name)}}
		if len(chosen) == len(i.Columns) {
			c.Target.Value, one = chosen[n], new(imports.ImportColumn)
		}
		c.Text = textOf(r, targets, one, c.Target.Value)
		if d.MayChoose {
			c.Target.Options = slices.Clone(targets)
			for at := range targets {
				if targets[at].Value == c.Target.Value {
					c.Target.Options[at].Text = c.Text
				}
			}
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

func textOf(r *ui.Request, targets []ui.Option, c *imports.ImportColumn, value string) string {
	if c.New != nil {
		return r.Text("imports.new_field_of", "type", string(c.New.Type))
	}
	for _, t := range targets {
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
