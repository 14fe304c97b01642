// Package webhook posts events to the URLs that asked for them, signed, and to
// no machine that the public network cannot reach.
//
// A Client has one method, Post. When it is called, how often, and what becomes
// of a failure is not decided here: see package jobs and audience.WebhookBatch.
// What its errors say is shown to callers of the API, so they tell of the
// receiver's status and of the connection's fate, and never what a receiver
// wrote or which address a name led to.
package webhook
