// Package lists has Lists, their Fields and preferences. A Schema is a List with everything in its definition; Schema
// reads it from the cache of definitions. This package does not change Contacts: package contacts converts and removes
// their values, and removes the Contacts of a List that is deleted.
//
//	list.go           whether a caller may use a List (Load)
//	attributes.go, field_attributes.go   the keys of the records
//	search.go         returns Lists to callers
//	edit.go, field_edit.go, preference.go, copy.go   add, change and copy definitions
//	day*.go           what each day added to a List and took from it
//	precondition.go, field_precondition.go   a check of all Contacts before a definition changes
//	field_misfit.go   how many values an edit of a Field would not fit
//	listener_sql.go   the autoresponders and webhooks of a Schema
//	list_sql.go, field_sql.go, service.go, jobs.go   the statements, the Service and the jobs
package lists
