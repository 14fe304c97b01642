// Package post posts signed events to the URLs of webhooks, in the format of Standard Webhooks.
// It connects only to public addresses, unless Options.Private allows others.
//
// A Client posts a batch of events with Post. Package webhooks decides when to call Post, and
// what happens after a failure. Callers of the API see the errors of Post. So
// an error contains only the receiver's HTTP status, or says what happened to the connection. It
// never contains the body of the reply, nor an IP address to which a host name was resolved.
package post
