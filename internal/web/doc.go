// Package web serves the pages to which links in mails lead. They are plain HTML under the List's
// name. They work on a phone and without script. No page changes a subscription before the
// visitor presses its button.
//
// A link's path is signed (audience.LinkKey), and the signature is the permission. So there are
// no cookies, sessions or keys here. Package audience decides what a link shows and does; this
// package makes a page of it. handler.go checks the request, actions.go has one function for
// each kind of link and method, page.go fills the templates in the folder pages.
package web
