// Package webhooks has webhooks: their definitions, secrets and targets, and the delivery of the events that package
// events has stored. Package post sends the requests.
//
//	attributes.go, edit.go, search.go   the records
//	secret.go     the secret that signs the requests of a webhook
//	deliver.go    takes the events of a target, and stores what became of them
//	webhook_sql.go, service.go   the statements and the Service
//	sender*.go    does the work of a job: posts the events of a target, fairly for all Accounts
package webhooks
