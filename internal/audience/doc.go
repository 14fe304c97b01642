// Package audience is the domain: Lists, their Fields and Contacts, consent, mail
// to Contacts, webhooks, every rule about them, and their SQL. It does not contain HTTP, SMTP or
// the JSON of requests. These are in the packages web, mail and rpc.
//
// A Service implements the rules. Each of its methods is one action of a caller. The
// method checks the request in the order of the reference (errors.order) and makes its change in one
// Update of package db. So the change, its ledger row and the jobs that it causes are stored
// together or not at all. Very large changes use several Updates (db.RunInSteps). Times are
// integer Unix seconds. A time of 0 means never.
//
// # Map of the package
//
// Files that all others use:
//
//	service.go       the Service, the check whether a caller may access a List, shared errors
//	error.go         kinds of refusals
//	precondition.go  checks over all Contacts of a List before a definition changes
//	effect.go        background jobs that a change causes
//	event.go         events of a Contact and what each of them causes
//
// Accounts and their parts:
//
//	account*.go      Accounts, the domains of their senders, and their administration on the command line
//	domain*.go       sending domains of Accounts, and the DKIM keys that sign their mails
//	key*.go          API keys, their administration, the check of a caller's key
//	bootstrap.go     the first Account, List and key of an empty database
//	folder.go        Folders
//	file*.go         files: record, upload in pieces, content, media types, links
//	list*.go         Lists: record, Schema, attributes, edit, search, delete
//	preference.go    preferences of a List
//	field*.go        Fields: record, attributes, edit, conversion and deletion of values
//
// Contacts, one file for each action:
//
//	contact.go                the record
//	contact_parse.go          the values that a call sends for a Contact, checked against its Fields
//	contact_subscribe.go, contact_resubscribe.go, contact_unsubscribe.go
//	contact_add*.go, contact_edit.go, contact_delete.go   many Contacts in a call
//	contact_bulk.go           the shared parts of contact_add, contact_edit and contact_delete
//	contact_status.go         activate, confirm, preferences and consents of a Contact
//	contact_search.go         search and count; contact_proof.go adds what was recorded about each Contact
//	import*.go                Imports of Contacts from files; import.go lists its files
//	contact_quoted.go         normalises addresses with quotes that earlier versions stored
//	consent.go                consent and its ledger
//	unsubscriber.go           the Unsubscriber List
//	move*.go                  records that move in from another service with their IDs; package movein reads them
//	consent_proof.go          what a proof of consent contains, and the key that signs it
//	retention*.go             removes old opens and clicks, and old texts of the records of mails
//	person.go, person_erase.go  export and erase everything that is stored about a person
//
// Values that callers send, and search:
//
//	input*.go         a value as a caller sent it, and the scanner of numbers
//	value*.go         a value in the form in which a Field stores it, and what forms may send instead
//	record*.go        keys of records: how package audience reads, sets and searches them in memory
//	contact_columns.go  the columns that a search of Contacts returns
//	criteria.go       search criteria as a caller sent them, and their limits
//	condition*.go     criteria after they were checked: keys, operands, evaluation
//	searchindex.go    the record of a search index; internal/search/advisor decides which to build
//
// Mail to Contacts, and webhooks:
//
//	message*.go        Messages, their merge fields and files, previews and test mails
//	autoresponder*.go  autoresponders and when they are due
//	batch*.go          Batches: add and edit them, their options, populate them, lease slices, store results
//	batch_event*.go    opens, clicks and other events of the mails of Batches, and their sums
//	batch_report*.go   the numbers of a Batch, and its recipients by kind of event
//	mail_hold*.go      holds all mails, and releases or discards them
//	audit*.go          the audit log: a row for each administrative act, and its search
//	backup.go          which process makes the next backup, and the last good one
//	figures.go         the numbers for the metrics
//	recipient.go       recipients of Batches, and which record a DeliveryKey belongs to
//	delivery*.go       mail to a Contact: prepare it, store its result, count bounces, show it
//	link*.go           links in mails: their signed paths, pages and targets
//	webhook*.go        webhooks, their targets, and the delivery of events
//
// # SQL
//
// A file *_sql.go has the statements of the rules beside it, as functions of a db.Tx.
package audience
