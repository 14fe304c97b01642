// Package audience has the rules of messages, Batches, files, Imports and persons, with their SQL beside them. It is being
// divided: Accounts, Lists, Contacts, webhooks and searches have packages of their own already, and the Service of this
// package has their Services.
//
//	service.go         the Service
//	bootstrap.go       the first Account, List and key of an empty database
//	file*.go           files: record, upload in pieces, content, media types, links
//	import*.go         Imports of Contacts from files; import.go lists its files
//	message*.go        Messages, their merge fields and files, previews and test mails
//	link*.go           links in mails: their signed paths, pages and targets
//	delivery*.go       mail to a Contact: prepare it, store its result, count bounces, show it
//	autoresponder*.go  autoresponders and when they are due
//	batch*.go          Batches: add, edit, options, populate, lease slices, store results, events, reports
//	recipient.go       recipients of Batches, and which record a DeliveryKey belongs to
//	mail_hold*.go      holds all mails, and releases or discards them
//	backup.go          which process makes the next backup, and the last good one
//	figures.go         the numbers for the metrics
//	person*.go, consent_proof.go, contact_proof.go   export and erase what is stored about a person; proofs
//	retention*.go      removes old opens and clicks, and old texts of the records of mails
//	move*.go           records that move in from another service with their IDs; package movein reads them
package audience
