// Package movein moves the records of another service into an Account of this database. It reads a Source and passes the
// records to package app, which checks and stores them (move*.go there). It has no rules and no SQL.
//
// source.go is what a Source can do. There are two: API (api*.go, input.go) calls another service with the same API, and
// package listmonk reads the database of listmonk. mover.go is the order of the work. definitions.go, contacts.go and
// consents.go are its parts. Each step is stored with how far it has come, so a Mover that was stopped continues with
// the next Run.
package movein
