// Package events says what a change of a Contact causes: notifications, autoresponders, requests to confirm and webhook
// events. It stores a job or an event in the transaction of the change. It sends nothing.
//
//	event.go         notifications and autoresponders of an event, and the request to confirm
//	confirmation_sql.go   which subscriptions wait for a confirmation
//	mailbox_sql.go   how often a mailbox gets mails that anyone can ask for
//	webhook.go       stores events for webhooks
//	hold.go          the hold of all mails, which also stops webhooks
//	jobs.go          the jobs
package events
