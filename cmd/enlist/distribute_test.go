package main

import (
	"strings"
	"testing"

	"enlist/internal/store/teststores"
)

// What cannot be distributed is refused with what to do. Distributing itself is
// tested in package postgres, with something that stands for Citus.
func TestDistribute(t *testing.T) {
	if status, _, problem := enlist("distribute", "--db", "enlist.db"); status != 2 || !strings.Contains(problem, "--db") {
		t.Errorf("a file: %d %s", status, problem)
	}
	status, _, problem := enlist("distribute", "--dry-run", "--db", teststores.Postgres.New(t))
	if status != 1 || !strings.Contains(problem, "CREATE EXTENSION citus") {
		t.Errorf("without Citus: %d %s", status, problem)
	}
}
