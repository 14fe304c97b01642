package dbcopy

import (
	"context"
	"database/sql/driver"
	"fmt"

	"enlist/internal/db"
	"enlist/internal/db/postgres"
	"enlist/internal/db/sqlite"
)

// This file copies a PostgreSQL database into a new SQLite file, for backups. The servers may write meanwhile:
// the copy has one snapshot. An interrupted export starts again with a new file.

// Exporter copies a PostgreSQL database into a new SQLite file.
type Exporter struct {
	From   *postgres.Snapshot
	To     *sqlite.Filler
	Report func(Step) // gets the progress; nil means no reports
}

// Run copies all rows, and then reads the file again and compares the checksums.
func (e *Exporter) Run(ctx context.Context) error {
	tables, err := e.From.Tables(ctx)
	if err != nil {
		return err
	}
	for i := range tables {
		t := &tables[i]
		if err := e.To.Describe(ctx, t); err != nil {
			return fmt.Errorf("%w: use the version of enlist that the servers have", err)
		}
		if err := e.copy(ctx, t); err != nil {
			return fmt.Errorf("copy %s: %w", t.Name, err)
		}
	}
	numbered, err := e.To.Numbered(ctx)
	if err != nil {
		return err
	}
	last, err := e.From.LastIDs(ctx, numbered)
	if err != nil {
		return err
	}
	changes, err := e.From.CountChanges(ctx)
	if err != nil {
		return err
	}
	return e.To.Finish(last, changes)
}

func (e *Exporter) copy(ctx context.Context, t *db.Table) error {
	all, err := e.From.Count(ctx, t)
	if err != nil {
		return err
	}
	var from, to db.Checksum
	err = e.To.Fill(t, func(write func([]driver.Value) error) error {
		return e.From.Each(ctx, t, func(row []driver.Value) error {
			if err := from.Add(row); err != nil {
				return err
			}
			if from.Rows%reportEvery == 0 {
				e.report(Step{Table: t.Name, Rows: from.Rows, Of: all})
			}
			return write(row)
		})
	})
	if err != nil {
		return err
	}
	err = e.To.Each(ctx, t, nil, func(row []driver.Value, _ bool) error { return to.Add(row) })
	if err == nil && from != to {
		err = fmt.Errorf("the file has other rows than the database (%d and %d)", to.Rows, from.Rows)
	}
	e.report(Step{Table: t.Name, Rows: from.Rows, Of: all, Done: true})
	return err
}

func (e *Exporter) report(s Step) {
	if e.Report != nil {
		e.Report(s)
	}
}
