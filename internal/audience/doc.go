// Package audience is the domain: Lists, their Fields and Contacts, consent,
// and every rule about them. It says what is allowed and what follows; it does
// not know JSON, SQL, HTTP or mail.
//
// A Service carries the rules. Each of its methods is one thing a caller can
// ask for, checks it in the order that the specification gives, and makes its
// change inside one Store.Update, so that the change, its ledger row and what
// it sets in motion are stored together or not at all.
//
// The Store and Tx interfaces are what the domain needs from a database; the
// packages under internal/store provide them. Times are integer Unix seconds,
// 0 where something never happened.
package audience
