// Package mail composes and sends mails: notifications to a List's addresses, Messages
// to Contacts, and requests to confirm a subscription.
//
// Package messages decides which mail is sent to whom, and package sending when.
// This package writes the mail, inserts values into merge fields, and sends the result
// to a mail server or stores it in a folder. If a mail cannot be sent, the error is an
// *messages.Undelivered.
//
// The groups of files:
//
//   - mail.go has the Mailer, which other packages use, and counts mails by outcome
//   - compose*.go compose a mail from a Message, a notification or a request to confirm
//   - html*.go make HTML of Markdown and blocks, and handle HTML with merge fields
//   - html_inline.go moves style sheets into style attributes: html_css.go reads them, html_cascade.go decides for an
//     element, html_contest.go between sheets and attributes; html_kept.go writes what stays
//   - text*.go handle plain text with merge fields, and make plain text from HTML
//   - transport*.go encode and sign a mail, or write it as a file into a folder
//   - smtp*.go send a mail to a mail server
//   - report*.go read the bounces and complaints that mail servers send back
package mail
