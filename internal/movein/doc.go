// Package movein moves the records of another service into an Account of this database. It reads a Source, checks its
// records by the rules of their subjects, and stores them under the IDs that they have there.
//
// source.go is what a Source can do. There are two: API (api*.go, input.go) calls another service with the same API,
// and package listmonk reads the database of listmonk. mover.go is the order of the work; definitions.go, contacts.go
// and consents.go are its parts, download.go reads files by their links, and filelinks.go replaces these links in
// Messages. blocks.go changes what blocks and criteria name. move.go has how far a move has come, which is stored with
// each step, so a Mover that was stopped continues with the next Run. store_*.go and consents.go check and store
// records.
package movein
