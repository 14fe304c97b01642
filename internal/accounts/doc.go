// Package accounts has Accounts and what belongs to one: API keys, Folders, sending domains and the audit log. It says
// from which addresses an Account may send, and not what it sends.
//
//	account*.go    Accounts, which the operator edits on the command line, and a person of level full in part
//	user.go        the Account and its keys, as the published interface shows them
//	key*.go        API keys, and the check of a caller's key
//	domain*.go     sending domains, and the DKIM keys that sign their mails
//	sender.go      the addresses from which an Account may send
//	folder.go      Folders
//	setting*.go    what the operator sets for the service or an Account, or declares before the start
//	utm.go         the setting for UTM parameters, as a person of level full changes it
//	audit*.go      the audit log: a row for each administrative act, and its search
//	retry.go       removes the results of calls with an Idempotency-Key
//	person_data.go what of this is about a person
//	secret.go      secrets that all processes on a database share
//	service.go     the Service
package accounts
