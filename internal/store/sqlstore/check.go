package sqlstore

// This file contains the checks of the command enlist check that do not depend on the engine.

import (
	"fmt"
	"slices"
	"strings"
)

// Check is a query whose rows, of a text and a number, are problems of a database,
// and how a row is said to who runs it.
type Check struct {
	About, Query, Say string
}

// Checks are an engine's own with those that all have.
func Checks(own ...Check) []Check {
	return slices.Concat(own, []Check{
		{"look for jobs", `SELECT kind, count(*) FROM river_job WHERE state IN ('discarded', 'cancelled') GROUP BY kind`,
			"jobs of kind %s that were given up on: %d; enlist jobs list --state failed shows them"},
		{"look for webhooks", `SELECT webhook.id, (SELECT count(*) FROM webhook_event WHERE target_id = webhook_target.id)
			FROM webhook_target JOIN webhook ON target_id = webhook_target.id WHERE is_failing = 1`,
			"webhook %s was given up on, and %d events wait for it and those of the same URL: edit it, or retry its job"},
	})
}

// Found is the result of a Check's query, of database/sql or of pgx.
type Found interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
}

// Problems says what was found, a sentence a row.
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
