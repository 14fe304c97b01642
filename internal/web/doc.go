// Package web is the pages for people: those that links in mails lead to. They
// are plain HTML in a List's name that works on a phone and without script, and
// no page changes anything before somebody presses its button.
//
// A link's path carries its own permission, the signature of audience.LinkKey, so
// there are no cookies, no sessions and no keys here. What a visit may do and what
// follows from it is decided in package audience; here it becomes a page.
package web
