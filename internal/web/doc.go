// Package web serves the pages to which links in mails lead. The pages are plain HTML and show the
// name of the List. They work on a phone and without script. Only a POST changes a subscription: the
// button of a page sends it, or the unsubscribe button of a mail program.
//
// The path of a link has a signature (enlist.LinkKey), and a valid signature is the permission.
// So this package needs no cookies, sessions or API keys. Package sending decides what a link
// shows and changes, and this package writes the page. handler.go checks the request. actions.go
// has one function for each kind of link and HTTP method, and file.go sends files. page.go fills the templates in the
// folder pages.
package web
