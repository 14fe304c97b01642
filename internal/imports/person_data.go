package imports

import (
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file says what this package has of a person. Package privacy exports and erases it.

// OfPerson calls each for the results of Imports that are about the person.
func OfPerson(tx *db.Tx, p *enlist.Person, each func([]enlist.PersonValue) error) error {
	all, err := Imports(tx, p.Account)
	if err != nil {
		return err
	}
	for n := range all {
		i := &all[n]
		if header := headerOf(i); p.Mentions(header) || p.Mentions(i.Reason) || p.Mentions(i.Options.FileName) {
			err := each([]enlist.PersonValue{{Name: "import_id", Value: int64(i.ID)}, {Name: "header", Value: header},
				{Name: "reason", Value: i.Reason}, {Name: "file_name", Value: i.Options.FileName}})
			if err != nil {
				return err
			}
		}
		err := eachStepOf(tx, i.ID, func(step stepResults) error {
			return unpackResults(step.Data, func(r *RowResult) error {
				if !r.isAbout(p, i.ListID) {
					return nil
				}
				return each([]enlist.PersonValue{{Name: "import_id", Value: int64(i.ID)}, {Name: "step", Value: step.Number},
					{Name: "row", Value: r.Row}, {Name: "outcome", Value: string(r.Outcome)},
					{Name: "contact_id", Value: int64(r.Contact)}, {Name: "reason", Value: r.Reason},
					{Name: "field", Value: r.Field}, {Name: "value", Value: r.Value}, {Name: "cells", Value: r.Cells()}})
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// headerOf returns the columns of an Import. Without a header, these are the values of the first row.
func headerOf(i *Import) string {
	names := make([]string, len(i.Columns))
	for n := range i.Columns {
		names[n] = i.Columns[n].Name
	}
	if texts := i.Report.Texts(); texts != "" {
		names = append(names, texts)
	}
	return strings.Join(names, ", ")
}

// isAbout reports whether a result of an Import into a List is about the person.
func (r *RowResult) isAbout(p *enlist.Person, list enlist.ListID) bool {
	return p.Has(list, r.Contact) || p.Mentions(r.Value) || p.Mentions(r.Reason) ||
		p.Mentions(r.Cells())
}

// eachStepOf calls each with the results of the steps of an Import.
func eachStepOf(tx *db.Tx, id enlist.ImportID, each func(stepResults) error) error {
	for from := int64(0); ; {
		steps, err := importResults(tx, id, from, resultSteps)
		if err != nil {
			return err
		}
		for _, step := range steps {
			if err := each(step); err != nil {
				return err
			}
			from = step.Number + 1
		}
		if len(steps) < resultSteps {
			return nil
		}
	}
}
