package main

// The command enlist distribute without Citus.

import (
	"strings"
	"testing"

	"enlist/internal/store/teststores"
)

// A database that cannot be distributed is refused with advice. The tests of package postgres distribute one, with a
// substitute for Citus.
func TestDistributeRefusesADatabaseWithoutCitus(t *testing.T) {
	if status, _, problem := enlist("distribute", "--db", "enlist.db"); status != 2 || !strings.Contains(problem, "--db") {
		t.Errorf("a file: %d %s", status, problem)
	}
	status, _, problem := enlist("distribute", "--dry-run", "--db", teststores.Postgres.New(t))
	if status != 1 || !strings.Contains(problem, "CREATE EXTENSION citus") {
		t.Errorf("without Citus: %d %s", status, problem)
	}
}
