// Package enlist has the words that all other packages speak: the records of the service, their
// typed IDs, the kinds of errors, the values of Fields, and the criteria of searches. It does not
// have rules about calls, SQL, HTTP or mail. All its functions are pure: they use neither the
// database nor the network.
//
// Times are integer Unix seconds. A time of 0 means never.
//
//	id.go             typed IDs
//	timezone.go       names of time zones
//	account.go, key.go, domain.go, list*.go, field.go, preference.go, contact.go, autoresponder*.go, webhook.go
//	                  one file for each record
//	consent.go        the rows of the consent ledger
//	tracking.go       whose opens and clicks are recorded
//	contact_later.go  the keys of a Contact that the published API did not have at first
//	event.go, day.go  what happens to a Contact, and as what a day counts it
//	clock.go          the moment of a date and time in a time zone
//	link.go           what the signed links of mails contain
//	picture.go        how a mail shows an image: its width, and the part of it
//	utm.go            UTM parameters of the links in mails
//	person.go         a person about whom an Account stores data
//	caller.go         who makes a call, and its Idempotency-Key
//	role.go           the roles of users, and what each may do
//	error.go          kinds of refusals; refusal.go has the refusals that several packages share
//	rate*.go          rates of mails and of calls
//	retention.go      how long an Account keeps data
//	input*.go         a value as a caller sent it, and the scanner of numbers
//	value*.go         a value in the form in which a Field stores it, and what forms may send instead
//	record*.go        keys of records: how calls read, set and search them in memory
//	contact_columns.go  the columns that a search of Contacts returns
//	cell.go           texts in files for spreadsheets
//	size.go, nearest.go   sizes such as 1MiB, and the name that was probably meant
//	criteria*.go      search criteria as a caller sent them, and their limits
//	condition*.go     criteria after they were checked: keys, operands, evaluation
//	searchindex.go    the record of a search index
package enlist
