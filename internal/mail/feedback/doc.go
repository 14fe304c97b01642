// Package feedback receives the events that an email provider posts over HTTP about mails that it has delivered for
// this service: bounces, complaints and unsubscriptions. Package mail reads the same reports if they arrive as mails.
//
// The service has one provider, that of --smtp. Each mail to a Contact has a header field that the provider repeats in
// its events. The field has the signed tag of the delivery. An event without such a tag changes nothing, so a forged
// event can only repeat the tag of a mail that its sender has received.
//
// The groups of files:
//
//   - handler.go has the HTTP endpoint, and records and counts events
//   - provider.go has what all providers share
//   - mailgun.go, postmark.go, sendgrid.go and sns.go (Amazon SES) have one provider each: the header field, the check of
//     a request, and what its events mean
package feedback
