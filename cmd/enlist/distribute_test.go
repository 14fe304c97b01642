package main

import (
	"strings"
	"testing"

	"enlist/internal/db/dbtest"
)

// This test runs enlist distribute without Citus.

// enlist distribute refuses a database that cannot be distributed, and says what to do. The tests of package postgres
// distribute a database, with a substitute for Citus.
func TestDistributeRefusesADatabaseWithoutCitus(t *testing.T) {
	if status, _, problem := runEnlist("distribute", "--db", "enlist.db"); status != 2 || !strings.Contains(problem, "--db") {
		t.Errorf("for a SQLite file the status is %d, want 2; error %s", status, problem)
	}
	status, _, problem := runEnlist("distribute", "--dry-run", "--db", dbtest.Postgres.New(t))
	if status != 1 || !strings.Contains(problem, "CREATE EXTENSION citus") {
		t.Errorf("without Citus the status is %d, want 1; error %s", status, problem)
	}
}
