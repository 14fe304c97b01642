package imports

import (
	"slices"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/imports/sheet"
)

// This file has what an Import says about its file besides the outcomes of rows: what it did not use, and who of the
// new Contacts can get mail.

// Report is stored with the Import. Samples are values of the file, so they are removed with the results.
// reference.md: import.report
type Report struct {
	File    *sheet.About    `json:"file,omitempty"` // what the service recognised
	Unused  []ColumnReport  `json:"unused,omitempty"`
	Status  []ColumnReport  `json:"status,omitempty"`   // columns that say who must get no mail
	LeftOut []ColumnReport  `json:"left_out,omitempty"` // columns with values that did not fit
	Mail    ReceivingReport `json:"mail"`
	// Fixable is the number of refused rows that bad_values=leave_out would import.
	Fixable int64 `json:"fixable,omitempty"`
}

// ColumnReport is about some rows of a column.
type ColumnReport struct {
	Column  string   `json:"column"`
	Rows    int64    `json:"rows,omitempty"`
	Reason  string   `json:"reason,omitempty"` // why values did not fit
	Samples []string `json:"samples,omitempty"`
}

// ReceivingReport counts new Contacts by whether they can get mail.
type ReceivingReport struct {
	Receiving int64 `json:"receiving"`
	Waiting   int64 `json:"waiting"` // the List asks people to confirm, and these have not
}

const (
	maxSamples    = 3  // of a column
	maxReports    = 50 // columns of each kind
	sampleLetters = 60 // bytes of a sample
)

// addTo counts a value of a column.
func addTo(all []ColumnReport, column, reason, sample string) []ColumnReport {
	n := slices.IndexFunc(all, func(r ColumnReport) bool { return r.Column == column && r.Reason == reason })
	if n < 0 {
		if len(all) == maxReports {
			return all
		}
		n, all = len(all), append(all, ColumnReport{Column: column, Reason: reason})
	}
	r := &all[n]
	r.Rows++
	sample = shorten(sample, sampleLetters)
	if len(r.Samples) < maxSamples && !slices.Contains(r.Samples, sample) {
		r.Samples = append(slices.Clip(r.Samples), sample)
	}
	return all
}

// count adds the rows of a step.
func (r *Report) count(i *Import, schema *enlist.Schema, all []*decision) {
	r.Status, r.LeftOut = slices.Clone(r.Status), slices.Clone(r.LeftOut) // the function of an Update can run twice
	name := func(n int) string {
		if n < len(i.Columns) {
			return i.Columns[n].Name
		}
		return ""
	}
	for _, d := range all {
		row := d.row
		if row.status.says != "" {
			r.Status = addTo(r.Status, name(row.status.column), "", row.status.says)
		}
		switch {
		case d.outcome == RowRefused && row.isFixable:
			r.Fixable++
		case d.outcome != RowRefused:
			for _, v := range row.leftOut {
				r.LeftOut = addTo(r.LeftOut, name(v.column), v.reason, v.value)
			}
		}
		if d.outcome != RowAdded || i.Options.As != AsContacts || row.isLeaving(&i.Options) {
			continue
		}
		s := &row.system
		switch {
		case s.isUnsubscribed || s.isInactive || s.isBounced:
		case schema.List.DoubleOptIn && s.confirmed == 0 && !s.isStated:
			r.Mail.Waiting++
		default:
			r.Mail.Receiving++
		}
	}
}

// restart forgets the counts: a dry run starts again.
func (r *Report) restart() { *r = Report{File: r.File, Unused: r.Unused} }

// forget removes the values of people.
func (r *Report) forget() {
	if r.File != nil && r.File.Guess != nil {
		file := *r.File
		file.Guess, r.File = nil, &file
	}
	for _, all := range []*[]ColumnReport{&r.Unused, &r.Status, &r.LeftOut} {
		*all = slices.Clone(*all)
		for n := range *all {
			(*all)[n].Samples = nil
			(*all)[n].Reason = ""
		}
	}
}

// Texts returns all texts of the file, for a search for a person.
func (r *Report) Texts() string {
	var texts []string
	for _, all := range [][]ColumnReport{r.Unused, r.Status, r.LeftOut} {
		for _, c := range all {
			texts = append(append(texts, c.Column, c.Reason), c.Samples...)
		}
	}
	return strings.Join(texts, ", ")
}

// unusedColumns returns the columns that are not stored, with their first values. rows are the first rows of the file.
// A column of states is used, and an empty one is not worth a word.
func unusedColumns(columns []ImportColumn, rows [][]any) (all []ColumnReport) {
	for n := range columns {
		c := &columns[n]
		if c.Target != "" || isReasonColumn(c.Name) || statusOfColumn(c.Name) != noStatus || len(all) == maxReports {
			continue
		}
		r := ColumnReport{Column: c.Name}
		for _, row := range rows {
			if n >= len(row) || len(r.Samples) == maxSamples {
				continue
			}
			if text := shorten(textOf(row[n]), sampleLetters); text != "" && !slices.Contains(r.Samples, text) {
				r.Samples = append(r.Samples, text)
			}
		}
		if len(r.Samples) > 0 {
			all = append(all, r)
		}
	}
	return all
}
