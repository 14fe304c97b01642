// Package lists has Lists, their Fields and preferences. A Schema is a List with everything in its definition; Schema
// reads it from the cache of definitions. This package does not change Contacts: package contacts converts and removes
// their values, and removes the Contacts of a List that is deleted.
//
//	list.go           whether a caller may use a List (Load)
//	attributes.go, field_attributes.go   the keys of the records
//	edit.go, field_edit.go, preference.go   add and change definitions
//	day*.go           what each day added to a List and took from it
//	precondition.go   a check of all Contacts before a definition changes
//	listener_sql.go   the autoresponders and webhooks of a Schema
package lists
