// Package reference serves the reference of the API for people who write programs: a page with all methods, the same as
// Markdown, and the document of OpenRPC. All of it is made from the description that package rpc has, when the server
// starts. The package knows no rules and no data. decisions.md: 74
//
// Files: handler.go serves the paths. page.go makes the page from pages/. code.go writes the examples in the
// languages. markdown.go writes the Markdown of a method.
// client.go makes the clients from clients/. goclient_test.go makes the methods of the Go client in package api.
package reference
