// Package movein moves an Account from another service with the same API into this database. It reads the other service
// with the Go client and passes the records to package audience, which checks and stores them (move*.go there). It has
// no rules and no SQL.
//
// source.go calls the other service, and input.go reads its JSON. mover.go is the order of the work. definitions.go,
// contacts.go and consents.go are its parts. Each step is stored with how far it has come, so a Mover that was
// stopped continues with the next Run.
package movein
