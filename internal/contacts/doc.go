// Package contacts has Contacts, their consents and the Unsubscriber List: one file for each action of a caller.
//
//	parse.go         the values that a call sends for a Contact, checked against the Fields of its List
//	subscribe*.go, resubscribe.go, unsubscribe.go   one Contact
//	add*.go, edit*.go, delete*.go   many Contacts in a call; bulk.go has what these share
//	status.go        activate, confirm, preferences and consents of a Contact
//	confirmation.go, mailbox_sql.go   the double opt-in, and how often a mailbox gets mails that anyone can ask for
//	search*.go       search and count
//	change*.go, copy*.go   changes of many Contacts by a job; copies to another List
//	person.go, values.go   the Contacts of one person, and frequent values
//	unknown.go       names in a call that mean nothing in a List
//	candidate.go     a Contact that a Batch may be sent to
//	segment*.go      Segments, and criteria that name them
//	consent*.go      consent and its ledger
//	tracking*.go     what people decide about the recording of their opens and clicks
//	language.go      the language in which people get mails and pages
//	departure.go     why people unsubscribe
//	unsubscriber*.go the Unsubscriber List
//	field_convert.go, field_delete.go, list_delete.go   what a changed definition means for Contacts
//	person_data.go   what of this is about a person
//	restore_sql.go   stores Contacts that move in from another service
//	*_sql.go, statements.go   the statements
//	service.go, jobs.go   the Service and the jobs
package contacts
