// Package dbcopy copies all data of a database into a new one and compares the copy with its source. Both can be of
// either engine. The command enlist copy, backups of PostgreSQL and restores use it.
//
// The package reads the names of tables and columns from both databases, so a migration of the schema needs no change in
// this package. A column that the source does not have gets its default value. So a database of a version before 1.0.0
// can be copied. A server refuses to open a PostgreSQL database into which a copy is not complete.
package dbcopy

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"

	"enlist/internal/db"
)

// Source is the database that is copied: a sqlite.Source or a postgres.Snapshot.
type Source interface {
	reader
	// Count returns the number of rows of a table.
	Count(ctx context.Context, t *db.Table) (int64, error)
	// LastIDs returns the last ID that each table has used. Call it after the rows are read.
	LastIDs(ctx context.Context) (map[string]int64, error)
	// CountChanges returns changes of the numbers of Contacts that no table to copy has.
	CountChanges(ctx context.Context) ([]db.CountChange, error)
}

// Target is the new database: a postgres.Target or a sqlite.Filler.
type Target interface {
	reader
	// IsCopied reports whether an interrupted copy has copied a table.
	IsCopied(ctx context.Context, t *db.Table) (bool, error)
	// Write stores all rows of a table in one transaction. It calls rows with a function that stores one row.
	Write(ctx context.Context, t *db.Table, rows func(write func([]driver.Value) error) error) error
	// Finish stores the last IDs and adds changes to the numbers of Contacts.
	Finish(ctx context.Context, last map[string]int64, changes []db.CountChange) error
}

// reader has the methods of both databases.
type reader interface {
	// Tables returns the tables that can be copied.
	Tables(ctx context.Context) ([]db.Table, error)
	// Each calls fn with every row of a table. The next call can overwrite the slice.
	Each(ctx context.Context, t *db.Table, fn func(row []driver.Value) error) error
}

// Copier copies one database. The caller makes sure that no server uses the target. A server may use the source: the copy
// has what the source had when it was opened.
type Copier struct {
	From   Source
	To     Target
	Report func(Step) // gets the progress; nil means no reports
}

// Step is the progress of one table.
type Step struct {
	Table    string
	Verify   bool  // false: the Copier copies the rows; true: it reads the rows of the target
	Rows, Of int64 // number of rows so far, and of all rows in the source
	Done     bool
}

// Result states how much data a copy contains.
type Result struct {
	Tables  int
	Rows    int64
	Changed int64 // rows in which U+FFFD replaces characters that PostgreSQL cannot store
}

var errDiffers = errors.New("the source and the target hold different rows: another program wrote to one of them; " +
	"drop the target database and copy into an empty one")

// leftOut are the tables and columns of versions before 1.0.0 that later ones do not have. The tables must be empty: the
// rows of list_day_fill are work that the old version has not done yet, and it never wrote the others.
var leftOut = []string{"list_day_fill", "search_index_use", "search_index.scan_ms"}

// Run copies the tables that are not copied yet, compares the rows of each with those of the source, and marks the
// target as complete. After an interruption, the next call of Run continues with the first table that is not complete.
func (c *Copier) Run(ctx context.Context) (r Result, err error) {
	tables, err := c.tables(ctx)
	if err != nil {
		return r, err
	}
	for i := range tables {
		t := &tables[i]
		sum, err := c.copy(ctx, t, &r)
		if err != nil {
			return r, fmt.Errorf("copy %s: %w", t.Name, err)
		}
		if err := c.verify(ctx, t, sum); err != nil {
			return r, fmt.Errorf("verify %s: %w", t.Name, err)
		}
		r.Tables, r.Rows = r.Tables+1, r.Rows+sum.Rows
	}
	last, err := c.From.LastIDs(ctx)
	if err != nil {
		return r, err
	}
	maps.DeleteFunc(last, func(name string, _ int64) bool { return index(tables, name) < 0 })
	changes, err := c.From.CountChanges(ctx)
	if err != nil {
		return r, err
	}
	return r, c.To.Finish(ctx, last, changes)
}

// tables returns the tables that both databases have, with the columns that both have.
func (c *Copier) tables(ctx context.Context) (both []db.Table, err error) {
	from, err := c.From.Tables(ctx)
	if err != nil {
		return nil, err
	}
	to, err := c.To.Tables(ctx)
	if err != nil {
		return nil, err
	}
	for i := range from {
		at := index(to, from[i].Name)
		if at < 0 {
			if err := c.leaveOut(ctx, &from[i]); err != nil {
				return nil, err
			}
			continue
		}
		t, err := common(&from[i], &to[at])
		if err != nil {
			return nil, err
		}
		both = append(both, t)
	}
	return both, nil
}

func index(tables []db.Table, name string) int {
	return slices.IndexFunc(tables, func(t db.Table) bool { return t.Name == name })
}

// leaveOut returns an error unless a table of the source is one that may be left out.
func (c *Copier) leaveOut(ctx context.Context, t *db.Table) error {
	if !slices.Contains(leftOut, t.Name) {
		return unknown("table " + t.Name)
	}
	n, err := c.From.Count(ctx, t)
	if err == nil && n > 0 {
		err = fmt.Errorf("the table %s of the source has rows: start the version that made it, until it has none", t.Name)
	}
	return err
}

// common returns a table with those columns of the source that the target has. PostgreSQL has the form of a column.
func common(from, to *db.Table) (both db.Table, err error) {
	both.Name = from.Name
	for _, c := range from.Columns {
		at := slices.IndexFunc(to.Columns, func(other db.Column) bool { return other.Name == c.Name })
		switch name := from.Name + "." + c.Name; {
		case at >= 0:
			c.Form = max(c.Form, to.Columns[at].Form)
			both.Columns = append(both.Columns, c)
		case !slices.Contains(leftOut, name):
			return both, unknown("column " + name)
		}
	}
	return both, nil
}

func unknown(what string) error {
	return fmt.Errorf("the target has no %s: use the version of enlist that made the source", what)
}

// copy copies a table and returns the checksum of the source's rows. The checksum does not depend on the order of the
// rows. Of a table that is copied already, it only reads the source.
func (c *Copier) copy(ctx context.Context, t *db.Table, r *Result) (sum db.Checksum, err error) {
	copied, err := c.To.IsCopied(ctx, t)
	if err != nil {
		return sum, err
	}
	all, err := c.From.Count(ctx, t)
	if err != nil {
		return sum, err
	}
	rows := func(write func([]driver.Value) error) error {
		return c.From.Each(ctx, t, func(row []driver.Value) error {
			changed, err := t.Normalise(row)
			if changed {
				r.Changed++
			}
			if err == nil {
				err = c.add(row, &sum, Step{Table: t.Name, Of: all})
			}
			if err == nil {
				err = write(row)
			}
			return err
		})
	}
	if copied {
		err = rows(func([]driver.Value) error { return nil })
	} else {
		err = c.To.Write(ctx, t, rows)
	}
	if err == nil {
		c.report(Step{Table: t.Name, Rows: sum.Rows, Of: all, Done: true})
	}
	return sum, err
}

// verify reads a table of the target and compares the checksum of its rows.
func (c *Copier) verify(ctx context.Context, t *db.Table, from db.Checksum) error {
	var to db.Checksum
	err := c.To.Each(ctx, t, func(row []driver.Value) error {
		if _, err := t.Normalise(row); err != nil {
			return err
		}
		return c.add(row, &to, Step{Table: t.Name, Verify: true, Of: from.Rows})
	})
	switch {
	case err != nil:
		return err
	case from != to:
		return fmt.Errorf("%w (the source has %d rows, the target %d)", errDiffers, from.Rows, to.Rows)
	}
	c.report(Step{Table: t.Name, Verify: true, Rows: to.Rows, Of: from.Rows, Done: true})
	return nil
}

const reportEvery = 5000 // rows

// add adds a row to a checksum, and reports the progress.
func (c *Copier) add(row []driver.Value, sum *db.Checksum, s Step) error {
	err := sum.Add(row)
	if s.Rows = sum.Rows; err == nil && s.Rows%reportEvery == 0 {
		c.report(s)
	}
	return err
}

func (c *Copier) report(s Step) {
	if c.Report != nil {
		c.Report(s)
	}
}
