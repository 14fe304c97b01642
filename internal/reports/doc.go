// Package reports has the figures of a Batch, and its recipients by what happened to their mail. It changes nothing.
//
//	report*.go, domain.go, interval.go, keys.go, numbers.go   the figures of a Batch
//	rows*.go, sort*.go, fields.go   the recipients by kind of event, as rows, also by their Fields
//	history.go   the mails to a Contact, and what happened to them
//	outcomes.go, uses.go   what became of the mails of all Batches, the Batches of a Message, and autoresponders
//	service.go   the Service
package reports
