// Package planner chooses how a search reads Contacts: which index the search scans, and how
// it tests the other parts of the condition. The package contains no SQL and reads no
// database. Package search describes the search (Query), estimates how many Contacts match
// (Statistics), and writes the statement of the chosen Plan.
//
// The package exists for SQLite. SQLite has no statistics for one List, so SQLite's own planner
// cannot tell a selective index from an unselective one. The function Choose chooses the index, and
// the statement names this index. PostgreSQL has statistics, so the function Delegate leaves the
// choice of indexes to PostgreSQL.
//
// doc/architecture.md says what was tried instead. The files:
//
//   - plan.go has the types: what a search asks for, and the plan that it gets.
//   - choose.go chooses the plan.
//   - path.go lists the access paths and their costs.
//   - estimate.go counts and samples the Contacts that match.
package planner
