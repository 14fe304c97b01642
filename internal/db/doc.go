// Package db runs functions in transactions of a database, and has what the SQL of all subjects needs. It does not
// have the SQL of a subject: this stands beside the rules of the subject.
//
//	engine.go           what the engines, sqlite and postgres, do (Engine)
//	conn.go, dialect.go a connection, and the SQL that differs between the engines
//	tx.go               a transaction as one function sees it (Tx)
//	transaction.go      runs a function for a Caller, or for a service itself (DB, View, Update)
//	oneview.go          lets several Views be parts of one (OneView)
//	phases.go           runs a search again if it is too slow or its reply too long (InPhases)
//	idempotent.go       Idempotency-Key: a repeated call is executed once
//	steps.go            long changes in several transactions, which a repeated call continues after a crash
//	mapping*.go, mapper.go  a table as a Go struct: its SELECT, INSERT and UPDATE
//	cursor.go, oneof.go reads rows, and compares a column with many values
//	catalogue.go        caches definitions, which change seldom
//	counter.go, day.go  stores the numbers of Contacts, and what each day changed
//	contact_row.go      the values of a Contact in its row
//	effect.go           a job that a change causes, stored in the same transaction; work that each process repeats
//	insertbatch*.go     several callers who each add one Contact share a transaction
//	person.go, oldrows.go   rows about a person, and rows that an Account keeps for a time
//	presence.go         how a process finds out that another one has died
//	watch.go            how a process finds out that another one has committed: one look a second (Looks)
//	estimates.go        counts that the planner of searches has made
//	trouble.go          what the operator must mend: a full disk, a damaged file
//	limiter.go, metrics.go, check.go, table.go, migration.go   what both engines have
package db
