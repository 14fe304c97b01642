// Package app builds the Services of all subjects over one database: App has them all. Its own rules are few.
//
//	app.go        builds the Services
//	bootstrap.go  the first Account, List and key of an empty database
//	figures*.go   the numbers for the metrics
//	underway.go   what goes on in an Account, for the menu of the pages
//	account_remove.go   removes an Account with all that belongs to it
//	proxy.go      addresses that look like proxies and are not trusted
package app
