// Package ui has what the pages of the administration share: the layout, the style sheet, numbers and dates as people
// read them, and charts. A page has a folder of its own beside this one, with its template and its test. It gives this
// package its Page values, and package admin serves them.
//
// A page asks only the services of package app, with the Caller of the Request: no rule and no SQL is here. All pages
// work without script. The templates escape all texts by their place in the HTML.
//
// The script (asset.go) shows counts and progress without a reload: it asks for a page, and View.Fragment is the block
// of the template that answers. Without a Fragment, the main part of the page answers.
package ui
