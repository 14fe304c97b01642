// Package web serves the pages to which links in mails lead, and Forms. The pages are plain HTML and show the
// name of the List. They work on a phone and without script. Only a POST changes a subscription: the
// button of a page sends it, or the unsubscribe button of a mail program.
//
// The path of a link in a mail has a signature (enlist.LinkKey), and a valid signature is the permission. Forms and
// the mails of a public List are open to everyone. So this package needs no cookies, sessions or API keys. Package
// sending decides what a link shows and changes, package forms what a Form does, and this package writes the page.
//
//	handler.go    the paths, and the check of a request
//	actions.go    one function for each kind of link and HTTP method
//	page.go       fills the templates in the folder pages, in the look of an Account
//	settings.go   the page with the settings of a subscriber, and where a reader asks for its link
//	tracking.go   the page about the recording of opens and clicks, and this choice on other pages
//	form*.go, input.go   Forms, for visitors and for scripts of other sites
//	limits.go     how often a visitor may send forms
//	details.go    the page of a Contact, and addresses that not everyone may read
//	archive.go    mails as pages
//	file.go       sends the files of Messages
package web
