// Package web is the pages for people: those that links in mails lead to. They
// are plain HTML in a List's name that works on a phone and without script, and
// no page changes anything before somebody presses its button.
package web
