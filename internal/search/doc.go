// Package search makes SQL from the criteria of a search, and runs it. It does not check who may search, and it does
// not read criteria: package enlist has checked them, and a Search names the keys, the order and the page.
//
//	planned.go     finds and counts the Contacts of a List (Contacts, Count, Plan)
//	search.go      the statement of a search
//	met.go         which conditions given Contacts meet
//	expr.go, operands.go, batch.go, preference.go   the expression of each kind of key, and its operands
//	values.go      the most frequent values of a Field
//	scan.go, plan.go, sort.go, estimate.go   which indexes a statement uses on SQLite; package planner chooses
//	parts.go       indexes of parts of texts, on PostgreSQL
//	row.go         reads the columns of a row that the search returns
//	record.go      searches of other records than Contacts: Batches, events, rows of the audit log
//	index.go       the catalogue of search indexes; package advisor decides which there are, and builds them
package search
