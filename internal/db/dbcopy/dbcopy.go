// Package dbcopy copies all data of a SQLite database into an empty PostgreSQL database and
// verifies the copy. The command enlist copy runs it.
//
// The package reads the names of tables and columns from both databases, so a migration of the
// schema needs no change in this package. The target database stores the progress of the copy. A
// server refuses to open the target until the copy is verified.
package dbcopy

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"enlist/internal/db"
	"enlist/internal/db/postgres"
	"enlist/internal/db/sqlite"

	"golang.org/x/sync/errgroup"
)

// Copier copies one database. The Copier does not lock the databases. OpenSource and OpenTarget
// lock them, and refuse a database that a server or another copy has open.
type Copier struct {
	From   *sqlite.Source
	To     *postgres.Target
	Batch  int        // number of rows in one write, fewer if the rows are large; 0 means 5,000
	Report func(Step) // gets the progress; only one call runs at a time; nil means no reports
}

// Step is the progress of one table.
type Step struct {
	Table    string
	Verify   bool  // false: the Copier copies the rows; true: it compares the rows of both databases
	Rows, Of int64 // number of rows copied or compared so far, and of all rows in the source
	Done     bool
}

// Result states how much data a copy contains.
type Result struct {
	Tables  int
	Rows    int64
	Changed int64 // rows in which U+FFFD replaces characters that PostgreSQL cannot store
}

var (
	errChanged = errors.New("the source has changed since the copy started; " +
		"drop the target database and copy into an empty one")
	errDiffers = errors.New("the source and the target hold different rows: another program wrote to one of them; " +
		"drop the target database and copy into an empty one")
)

// Run copies the remaining rows, compares all rows, and then marks the target as complete. After an
// interruption, the next call of Run continues from the stored progress.
func (c *Copier) Run(ctx context.Context) (r Result, err error) {
	tables, err := c.tables(ctx)
	if err != nil {
		return r, err
	}
	for i := range tables {
		if err := c.copy(ctx, &tables[i]); err != nil {
			return r, fmt.Errorf("copy %s: %w", tables[i].Name, err)
		}
	}
	for i := range tables {
		if err := c.verify(ctx, &tables[i], &r); err != nil {
			return r, fmt.Errorf("verify %s: %w", tables[i].Name, err)
		}
	}
	last, err := c.From.LastIDs(ctx)
	if err != nil {
		return r, err
	}
	return r, c.To.Finish(ctx, last)
}

// tables returns the tables of the target. It returns an error if the source has a table that
// the target does not have.
func (c *Copier) tables(ctx context.Context) ([]db.Table, error) {
	tables, err := c.To.Tables(ctx)
	if err != nil {
		return nil, err
	}
	names, err := c.From.Tables(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !slices.ContainsFunc(tables, func(t db.Table) bool { return t.Name == name }) {
			return nil, fmt.Errorf("the target has no table %s", name)
		}
	}
	for i := range tables {
		if err := c.From.Describe(ctx, &tables[i]); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// copy copies those rows of a table whose keys are after the last key in the target. It writes each
// batch together with the new progress in one transaction.
func (c *Copier) copy(ctx context.Context, t *db.Table) error {
	p, err := c.To.Progress(ctx, t)
	if err != nil || p.Done {
		return err
	}
	all, err := c.From.Count(ctx, t, nil)
	if err != nil {
		return err
	}
	if p.Last != nil { // counting is fast, and it detects most changes before the slow copy
		if n, err := c.From.Count(ctx, t, p.Last); err != nil || n != p.Rows {
			return errors.Join(err, errChanged)
		}
	}
	size := cmp.Or(c.Batch, 5000)
	batch, bytes := make([][]driver.Value, 0, size), 0
	flush := func() error {
		p.Rows += int64(len(batch))
		if len(batch) > 0 && len(t.Key) > 0 {
			p.Last = t.KeyOf(batch[len(batch)-1])
		}
		if err := c.To.Write(ctx, t, batch, p); err != nil {
			return err
		}
		batch, bytes = batch[:0], 0
		c.report(Step{Table: t.Name, Rows: p.Rows, Of: all, Done: p.Done})
		return nil
	}
	err = c.From.Each(ctx, t, p.Last, func(row []driver.Value, _ bool) error {
		if len(batch) == size || bytes > maxBatchBytes {
			if err := flush(); err != nil {
				return err
			}
		}
		batch = append(batch, row)
		for _, v := range row {
			switch v := v.(type) {
			case string:
				bytes += len(v)
			case []byte:
				bytes += len(v)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.Done = true
	return flush()
}

// verify reads a table from both databases at the same time and compares the checksums of the rows.
// The checksums do not depend on the order of the rows.
func (c *Copier) verify(ctx context.Context, t *db.Table, r *Result) error {
	all, err := c.From.Count(ctx, t, nil)
	if err != nil {
		return err
	}
	var from, to db.Checksum
	var changed int64
	both, ctx := errgroup.WithContext(ctx) // an error of one function stops the other function
	both.Go(func() error {
		return c.From.Each(ctx, t, nil, func(row []driver.Value, lost bool) error {
			if lost {
				changed++
			}
			return from.Add(row)
		})
	})
	both.Go(func() error {
		return c.To.Each(ctx, t, func(row []driver.Value) error {
			if (to.Rows+1)%reportEvery == 0 {
				c.report(Step{Table: t.Name, Verify: true, Rows: to.Rows + 1, Of: all})
			}
			return to.Add(row)
		})
	})
	if err := both.Wait(); err != nil {
		return err
	}
	if from != to {
		return fmt.Errorf("%w (the source has %d rows, the target %d)", errDiffers, from.Rows, to.Rows)
	}
	r.Tables, r.Rows, r.Changed = r.Tables+1, r.Rows+from.Rows, r.Changed+changed
	c.report(Step{Table: t.Name, Verify: true, Rows: to.Rows, Of: all, Done: true})
	return nil
}

const (
	reportEvery   = 5000    // rows
	maxBatchBytes = 8 << 20 // limits the memory for a batch, because a Message or a piece of a file can be large
)

func (c *Copier) report(s Step) {
	if c.Report != nil {
		c.Report(s)
	}
}
