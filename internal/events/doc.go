// Package events says what a change of a Contact causes: notifications, autoresponders and webhook events. It stores a
// job or an event in the transaction of the change. It sends nothing.
//
//	event.go         notifications and autoresponders of an event
//	webhook.go, webhook_sql.go   stores events for webhooks, and the targets to which they are posted
//	jobs.go          the jobs
package events
