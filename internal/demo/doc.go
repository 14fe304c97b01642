// Package demo fills an empty database with a year of a garden club: four Lists, about 40,000 Contacts who join and
// leave, Batches with their reports, and an Import. All people are made up, and their addresses have domains that
// RFC 2606 reserves.
//
//	build.go        what the club has, and in which order it is made
//	timeline.go     a clock that moves through the past, and what happens when
//	people.go       made-up people; names.go and names.txt have their names
//	joins.go        Lists, and who joins and leaves them
//	users.go        users of the pages, and what they made; segments.go has Segments and autoresponders
//	messages.go     what the club writes, and to whom; letters has the contents, picture.go the pictures
//	sends.go        sends Batches without a mail server
//	readers.go      what the recipients of a mail do
//	importing.go    a file of addresses with mistakes
//
// Build calls the services of package app as a program calls the API. So the package has no rule and no SQL, and each
// number of a report comes from an event. It sends no mail: the mails of Batches only get a result. The same seed and
// the same time give the same data, apart from keys and from the order of what happens in the same second.
//
// Its tests are in cmd/enlist/demo_build_test.go, beside those of the command enlist demo.
package demo
