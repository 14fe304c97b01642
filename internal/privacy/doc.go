// Package privacy has what a person may ask for and what an Account keeps: export and erasure of everything that is
// stored about a person, proofs of consent, and the removal of old data.
//
//	person.go        finds and exports the rows about a person: each subject answers for its tables
//	person_erase*.go, person_change.go   erases them, in several transactions
//	person_audit.go  the audit log
//	proof.go, contact_proof.go   what a proof of consent contains
//	service.go, jobs.go   the Service and the jobs
//	retention*.go      how long opens, clicks and texts are kept, and their removal
package privacy
