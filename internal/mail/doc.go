// Package mail composes messages and sends them: notifications to a List's
// addresses, Messages to Contacts and requests to confirm a subscription.
//
// Package audience decides what is sent to whom, and package jobs when. This
// package writes the message, inserts values into merge fields, and sends the
// result to a mail server or stores it in a folder. An error of sending is an
// *audience.Undelivered.
//
// The files by group:
//
//   - compose*.go: a Message, notification or request becomes a mail
//   - html*.go: HTML with merge fields, and style sheets moved into elements
//   - text*.go: plain text with merge fields, and text made from HTML
//   - transport*.go: encoding, DKIM signature, mails as files in a folder
//   - smtp*.go: mails to a mail server
//   - report.go: bounces and complaints that come back
package mail
