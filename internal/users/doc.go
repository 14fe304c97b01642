// Package users has the users of the pages of the administration: what each may do in which Accounts, how they
// sign in, and their sessions. Programs use API keys instead, which are in package accounts.
//
//	user.go       users and their memberships of Accounts
//	role.go         roles beside the version that has none
//	everything.go   who may do everything in all Accounts
//	member*.go      what an owner, or a program, does with the users of an Account
//	language.go     the language of the pages of a user
//	link.go         links with which a user signs in once
//	password*.go    passwords, and which may be chosen
//	own.go          what a user does alone: forgotten passwords, name and address
//	note.go         notes about changes of how a user signs in
//	browser.go      the browser of a session in words
//	approval.go     mails to the users who may approve a Batch
//	passkey*.go     passkeys
//	tries.go        limits of guesses of passwords, and the devices of a user
//	session.go      sign-in, sessions, and the Caller of a session
//	users_sql.go   their SQL
//
// A browser gets a random text as its cookie, and the database has only the SHA-256 of it, as of links and API keys.
// The pages make every call of another package with the Caller of the session.
package users
