package ui

import (
	"context"
	"time"
)

// This file limits the time of what a page reads.

// The times of searches and counts that may read all Contacts of a List, or all people of a report. A page says what it
// could not read in its time, and what to do.
const (
	SearchWait = 80 * time.Millisecond // for the rows of a page
	CountWait  = 40 * time.Millisecond // for the counts of a page
)

// Large is the number of rows from which a search has a limit. Fewer take long only on a machine that is busy, and a
// page that is late is then better than one that is not complete.
const Large = 20_000

// Within runs a search among a number of rows that may take a time. late is true if the time was over first.
func Within(ctx context.Context, rows int64, wait time.Duration,
	find func(context.Context) error) (late bool, err error) {
	if rows < Large {
		return false, find(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err = find(limited); err != nil && limited.Err() != nil && ctx.Err() == nil {
		return true, nil
	}
	return false, err
}
