// Package sending sends Batches: it populates them, leases slices of recipients to a sender, limits rates, and stores
// what became of each mail. It also sends the mails of jobs. Package mail composes the mails and talks to the mail
// server.
//
//	populate.go      stores the recipients of a Batch in steps
//	sender*.go       BatchSender, which sends the mails of Batches: slices that it has leased, tokens, results
//	mail*.go, group.go   MailSender, which sends the mails of jobs
//	slice.go         leases slices of recipients
//	send*.go   the result of a slice
//	limits.go, forecast*.go   what slows Batches down now, how fast they are, and when a Batch will be done
//	rate*.go, pace.go   takes tokens for mails, and slows a domain down
//	edition.go, winner.go   variants, and the choice of the best one
//	track.go         opens and clicks
//	link*.go, archive.go   what a link of a mail shows and changes; the mails of public Lists
//	bounce.go, outcome.go, figures.go   bounces, complaints and the results of other mails
//	queue_age*.go    how long mails of jobs have waited in the last days
//	hold*.go         holds all mails, and releases or discards them
//	service.go       the Service
package sending
