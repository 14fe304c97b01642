// Package webhook posts signed events to the URLs of webhooks, in the form of Standard Webhooks.
// It connects to public addresses only.
//
// A Client has one method, Post. Package jobs decides when to call it, and
// audience.WebhookBatch says what a failure leads to. Callers of the API see the errors of
// Post. So these name the receiver's status and what happened to the connection. They never
// repeat the receiver's text or an address that a name was resolved to.
package webhook
