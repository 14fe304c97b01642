// Package batches has Batches and autoresponders: their definitions, and the counts of their mails. Package recipients
// has the recipients and what happened to each mail, package sending sends the mails, and package reports shows the
// figures.
//
//	batch.go, add.go, edit.go   the records, and what a caller may change
//	state.go         the statuses that the server gives to a Batch
//	options.go, variant.go, localtime.go, exclusion_sql.go   the options of a Batch
//	copy.go          another Batch like an earlier one, and Batches by name
//	check*.go        what is probably wrong with a Batch before it is added
//	shown.go         a Batch is added as a person has seen it
//	approval.go      a second user approves a Batch before it begins
//	approval_kept.go what ends an approval, and who asks again
//	candidates.go    which Contacts of a population are left out, and why
//	delivery.go      the mails to a Contact, those of Batches and all others
//	events_removed.go   Batches whose opens and clicks were removed
//	uses_sql.go      how often Messages were sent and opened
//	autoresponder*.go    autoresponders, and the Batch that has the figures of one
//	person_data.go   what of this is about a person, and what of it is old
//	webhook.go       the webhook events of mails
//	message.go, segment.go   whether a Message or a Segment is in use
//	batch_sql.go, service.go   the statements, the Service and the jobs
package batches
