package app

import (
	"context"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/imports"
	"enlist/internal/sending"
)

// This file has the figures that an operator watches and that only the database knows: what waits, and what became of
// recent Batches and Imports. They are the same for all processes on a database. decisions.md: 104

// Figures are numbers about the work of the service. Each is read with an index from a limited number of rows, so that
// reading them stays cheap in a large database.
type Figures struct {
	Jobs     []jobFigure
	Held     bool                          // mails are held
	Batches  map[batches.BatchStatus]int64 // by status, of the newest FigureRows Batches
	Imports  map[imports.ImportState]int64 // by state, of the newest FigureRows Imports
	Mails    map[string]int64              // by outcome: of those of these Batches that sent mails in the last FigureDays days
	Rows     map[imports.RowOutcome]int64  // of those of these Imports that began in the last FigureDays days
	Event    int64                         // time of the oldest event that waits for a webhook that is not failing; 0: none
	Failing  int64                         // targets of webhooks that the service has stopped posting to
	ReadTime int64                         // when the figures were read
}

// jobFigure is about the jobs of one kind and state.
type jobFigure struct {
	Kind  string
	State string
	Count int64 // at most FigureJobs
	Due   int64 // since when the oldest waits that is due; 0: none. A new attempt does not change it
}

const (
	// figureJobs is the largest number of jobs of a kind and state that are counted.
	figureJobs = 10_000
	// figureRows is the number of newest Batches, and of newest Imports, that are counted.
	figureRows = 1000
	// figureDays is the number of days of the recent mails and rows.
	figureDays = 7
)

// JobStates are the states of jobs, in the order of a job's life. Jobs that are discarded or cancelled have failed.
var JobStates = [...]string{"scheduled", "available", "running", "retryable", "discarded", "cancelled"}

// Figures returns the figures of the database. kinds are the kinds of jobs.
func (s *App) Figures(ctx context.Context, kinds []string) (*Figures, error) {
	now := s.DB.Now().Unix()
	return db.OwnView(ctx, s.DB, func(tx *db.Tx) (*Figures, error) {
		hold, err := sending.LoadHold(tx)
		if err != nil {
			return nil, err
		}
		f, err := readFigures(tx, kinds, now)
		if err == nil {
			f.Held, f.ReadTime = hold != nil, now
		}
		return f, err
	})
}
