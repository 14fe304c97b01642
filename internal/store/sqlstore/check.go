package sqlstore

// This file contains the checks of the command enlist check that do not depend on the engine.

import (
	"fmt"
	"slices"
	"strings"
)

// Check is one check of a database.
type Check struct {
	About string // what the query does, for the error when it fails
	Query string // each row is a problem: a text and a number
	Say   string // the sentence for the operator: a format for the text and, if it has two verbs, the number
}

// Checks returns an engine's own checks followed by those that all engines have.
func Checks(own ...Check) []Check {
	return slices.Concat(own, []Check{{
		About: "look for failed jobs",
		Query: `SELECT kind, count(*) FROM river_job WHERE state IN ('discarded', 'cancelled') GROUP BY kind`,
		Say:   "jobs of kind %s that were given up on: %d; enlist jobs list --state failed shows them",
	}, {
		About: "look for failing webhooks",
		Query: `SELECT webhook.id, (SELECT count(*) FROM webhook_event WHERE target_id = webhook_target.id)
			FROM webhook_target JOIN webhook ON target_id = webhook_target.id WHERE is_failing = 1`,
		Say: "webhook %s was given up on, and %d events wait for it and those of the same URL: " +
			"edit it, or retry its job",
	}})
}

// Found is the result of a Check's query. Rows of database/sql and of pgx implement it.
type Found interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
}

// Problems returns one sentence for each row.
func (c Check) Problems(found Found) (problems []string, err error) {
	for found.Next() {
		var what string
		var n int64
		if err := found.Scan(&what, &n); err != nil {
			return nil, err
		}
		args := []any{what, n}
		problems = append(problems, fmt.Sprintf(c.Say, args[:strings.Count(c.Say, "%")]...))
	}
	return problems, found.Err()
}
