package db

import (
	"fmt"
	"slices"
	"strings"
)

// This file contains the checks of the command enlist doctor that are the same for all engines.

// Check is one check of a database.
type Check struct {
	About string // what the query does, for the error text when the query fails
	Query string // returns one row for each problem: a text and a number
	Say   string // sentence for the operator: a format string with %s for the text and, if needed, %d for the number
}

// Checks returns the checks in own, which are for one engine, followed by the checks for all
// engines.
func Checks(own ...Check) []Check {
	return slices.Concat(own, []Check{{
		About: "look for failing webhooks",
		Query: `SELECT webhook.id, (SELECT count(*) FROM webhook_event WHERE target_id = webhook_target.id)
			FROM webhook_target JOIN webhook ON target_id = webhook_target.id WHERE is_failing = 1`,
		Say: "the server has stopped posting to webhook %s after many failures, and %d events wait for its URL: " +
			"edit the webhook, or retry its job",
	}})
}

// Found is the result of a Check's query. The types Rows of database/sql and of pgx implement
// Found.
type Found interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
}

// Problems returns one sentence for each row of the query's result.
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
