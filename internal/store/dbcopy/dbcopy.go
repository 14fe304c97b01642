// Package dbcopy copies a whole SQLite database into an empty PostgreSQL database and
// verifies the copy. The command enlist copy runs it.
//
// It reads the names of tables and columns from both databases, so that a schema
// migration needs no change here. The target stores the copy's progress. No server
// opens the target until the copy is verified.
package dbcopy

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"sync"

	"enlist/internal/store/postgres"
	"enlist/internal/store/sqlite"
	"enlist/internal/store/sqlstore"
)

// Copier copies. Batch is how many rows are written at once, unless they are
// large; 0: 5,000.
type Copier struct {
	From   *sqlite.Source
	To     *postgres.Target
	Batch  int
	Report func(Step) // not at the same time
}

// Step says how far a table is.
type Step struct {
	Table    string
	Verify   bool // it was copied, and is being compared
	Rows, Of int64
	Done     bool
}

// Result is what was copied.
type Result struct {
	Tables  int
	Rows    int64
	Changed int64 // rows with characters that the target cannot hold, and which are U+FFFD there
}

var (
	errChanged = errors.New("the source has changed since the copy began: drop the target and begin again with an empty one")
	errDiffers = errors.New("the target does not have what the source has; something else was written to one of them: drop the target and begin again with an empty one")
)

// Run copies what is not copied yet, compares everything, and finishes the target.
// When it is broken off, another Run goes on from there.
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

// tables are those of both, which have to be the same.
func (c *Copier) tables(ctx context.Context) ([]sqlstore.Table, error) {
	tables, err := c.To.Tables(ctx)
	if err != nil {
		return nil, err
	}
	names, err := c.From.Tables(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !slices.ContainsFunc(tables, func(t sqlstore.Table) bool { return t.Name == name }) {
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

// copy copies what is left of a table.
func (c *Copier) copy(ctx context.Context, t *sqlstore.Table) error {
	p, err := c.To.Progress(ctx, t)
	if err != nil || p.Done {
		return err
	}
	all, err := c.From.Count(ctx, t, nil)
	if err != nil {
		return err
	}
	if p.Last != nil { // it costs little to find out now
		if n, err := c.From.Count(ctx, t, p.Last); err != nil || n != p.Rows {
			return errors.Join(err, errChanged)
		}
	}
	size := c.Batch
	if size == 0 {
		size = 5000
	}
	batch, held := make([][]driver.Value, 0, size), 0
	flush := func() error {
		p.Rows += int64(len(batch))
		if len(batch) > 0 && len(t.Key) > 0 {
			p.Last = t.KeyOf(batch[len(batch)-1])
		}
		if err := c.To.Write(ctx, t, batch, p); err != nil {
			return err
		}
		batch, held = batch[:0], 0
		c.report(Step{Table: t.Name, Rows: p.Rows, Of: all, Done: p.Done})
		return nil
	}
	err = c.From.Each(ctx, t, p.Last, func(row []driver.Value, _ bool) error {
		if len(batch) == size || held > maxBatch {
			if err := flush(); err != nil {
				return err
			}
		}
		batch = append(batch, row)
		for _, v := range row {
			if text, ok := v.(string); ok {
				held += len(text)
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

// verify reads a table on both sides and compares what the rows come to.
func (c *Copier) verify(ctx context.Context, t *sqlstore.Table, r *Result) error {
	all, err := c.From.Count(ctx, t, nil)
	if err != nil {
		return err
	}
	var from, to sqlstore.Checksum
	var changed int64
	ctx, cancel := context.WithCancelCause(ctx) // one side's error ends the other
	defer cancel(nil)
	var other sync.WaitGroup
	other.Go(func() {
		err := c.From.Each(ctx, t, nil, func(row []driver.Value, lost bool) error {
			if lost {
				changed++
			}
			from.Add(row)
			return nil
		})
		if err != nil {
			cancel(err)
		}
	})
	err = c.To.Each(ctx, t, func(row []driver.Value) error {
		to.Add(row)
		if to.Rows%reportEvery == 0 {
			c.report(Step{Table: t.Name, Verify: true, Rows: to.Rows, Of: all})
		}
		return nil
	})
	if err != nil {
		cancel(err)
	}
	other.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if !from.Same(&to) {
		return fmt.Errorf("%w (%d rows here, %d there)", errDiffers, from.Rows, to.Rows)
	}
	r.Tables, r.Rows, r.Changed = r.Tables+1, r.Rows+from.Rows, r.Changed+changed
	c.report(Step{Table: t.Name, Verify: true, Rows: to.Rows, Of: all, Done: true})
	return nil
}

const (
	reportEvery = 5000    // rows
	maxBatch    = 8 << 20 // bytes of text in a batch: Messages may be large
)

func (c *Copier) report(s Step) {
	if c.Report != nil {
		c.Report(s)
	}
}
