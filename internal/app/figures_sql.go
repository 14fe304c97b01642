package app

import (
	"fmt"
	"strings"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/events"
	"enlist/internal/imports"
)

// This file reads the figures for the metrics. No statement reads more than a fixed number of rows of a table that can
// be large. With 200,000 waiting jobs, all statements together take 8 ms on SQLite and 80 ms on PostgreSQL.

// agedJobs is the number of jobs of a kind and state among which the oldest is looked for: those that run next. To
// know since when a job waits, its row must be read, and not only the index. While mails cannot be sent, the times of
// the next attempts of all mails change, so the oldest is soon among these.
const agedJobs = 1000

// mailOutcomes are the outcomes of recent mails. Each is the name of its column, as each of RowOutcomes is.
var mailOutcomes = []string{"sent", "bounced", "failed", "complained", "unsubscribed"}

// readFigures returns the figures except Held. kinds are the kinds of jobs, which all appear in Jobs.
func readFigures(tx *db.Tx, kinds []string, now int64) (*Figures, error) {
	f := &Figures{Batches: make(map[batches.BatchStatus]int64), Imports: make(map[imports.ImportState]int64),
		Mails: make(map[string]int64), Rows: make(map[imports.RowOutcome]int64)}
	for _, outcome := range mailOutcomes {
		f.Mails[outcome] = 0
	}
	for _, outcome := range imports.RowOutcomes {
		f.Rows[outcome] = 0
	}
	since := now - figureDays*24*60*60
	for _, read := range []func() error{
		func() error { return jobFigures(tx, f, kinds, now) },
		func() error { return batches.Newest(tx, since, figureRows, mailOutcomes, f.Batches, f.Mails) },
		func() error { return imports.Newest(tx, since, figureRows, f.Imports, f.Rows) },
		func() (err error) {
			f.Event, f.Failing, err = events.OldestEvent(tx)
			return err
		},
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// jobFigures reads up to FigureJobs entries of the index (state, queue, priority, scheduled_at, id) for each kind and
// state, and up to agedJobs rows. ORDER BY makes PostgreSQL use the index also if its statistics are out of date. Each
// kind has a queue of the same name, and a statement of its own: PostgreSQL compiled a statement for all kinds (JIT),
// which took 190 of its 260 ms.
func jobFigures(tx *db.Tx, f *Figures, kinds []string, now int64) error {
	created, due := tx.SQL.JobCreated, tx.SQL.JobDue
	var query strings.Builder
	for i, state := range JobStates {
		if i > 0 {
			query.WriteString(" UNION ALL ")
		}
		from := "FROM river_job WHERE state = '" + state + "' AND queue = ?1 ORDER BY priority, scheduled_at, id LIMIT "
		since := "0"
		if state == "scheduled" || state == "available" || state == "retryable" {
			since = fmt.Sprintf(`(SELECT coalesce(min(since), 0) FROM (
				SELECT CASE WHEN %s > %s THEN %s ELSE %s END AS since %s %d) waiting WHERE since <= ?2)`,
				due, created, due, created, from, agedJobs)
		}
		fmt.Fprintf(&query, "SELECT '%s', (SELECT count(*) FROM (SELECT id %s %d) counted), %s", state, from,
			figureJobs, since)
	}
	for _, kind := range kinds {
		err := tx.Each(func(c *db.Cursor) error {
			f.Jobs = append(f.Jobs, jobFigure{Kind: kind, State: c.Text(), Count: c.Int(), Due: c.Int()})
			return nil
		}, query.String(), kind, now)
		if err != nil {
			return err
		}
	}
	return nil
}
