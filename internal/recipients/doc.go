// Package recipients has the recipients of Batches and what happened to each mail: its outcome, opens, clicks and other
// events, and the sums of these that reports read. It knows a Batch only by its ID. Package batches has the Batches,
// whose row has the Counts: a function that changes a recipient returns what the caller adds to them. Package sending
// decides what becomes of a recipient.
//
//	recipient.go, recipient_sql.go   a recipient, and the statements for one and for many
//	slice_sql.go     the slices that processes lease, and their recipients
//	change.go        what a transaction changes for many recipients: the outcomes of their mails
//	counts.go        what a transaction adds to the counts of a Batch, and why Contacts get no mail
//	event.go, event_sql.go   what happened to the mail of a recipient
//	rows*.go         the recipients of a Batch by kind of event, in order of Contact or of another key
//	sums.go, sums_sql.go     the sums of opens and clicks, by period, link and mail program
//	domain.go, domain_sql.go   the numbers by group of domains and by reason of bounces
//	edition.go       the mails by edition of their Message
//	person_data.go   what of this is about a person, and what of it is old
package recipients
