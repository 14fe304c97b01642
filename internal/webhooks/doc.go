// Package webhooks has webhooks: their definitions, secrets and targets, and the delivery of the events that package
// events has stored. The worker that posts them is in package jobs.
//
//	attributes.go, edit.go, search.go   the records
//	secret.go     the secret that signs the requests of a webhook
//	deliver.go    takes the events of a target, and stores what became of them
package webhooks
