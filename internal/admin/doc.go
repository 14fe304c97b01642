// Package admin serves the pages of the administration under /admin/, for people who use no API. Who uses them, and how
// they sign in, is in package users.
//
//	handler.go   which page answers a request, and who may see it
//	serve.go     reads the form of a request and runs its page
//	cookie.go, done.go   the cookie of a session; the sentence about the last request
//	problem.go   a page that only says what went wrong
//	ui/          layout, style sheet, numbers, tables, charts
//	signin/      sign-in with a password or a link
//	home/ sends/ lists/ contacts/ messages/ images/ design/ forms/ imports/ sending/ autoresponders/
//	unsubscribers/ backups/ members/ keys/ webhooks/ audit/ you/
//	             one folder for each entry of the menu
//
// A page calls the services of package app with the Caller of the session, as a program calls the API with a key. So
// this package has no rule and no SQL. A request that changes something is a POST, and the browser says that it comes
// from a page of this server (http.CrossOriginProtection).
package admin
