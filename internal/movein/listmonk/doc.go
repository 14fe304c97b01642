// Package listmonk reads the PostgreSQL database of listmonk as a movein.Source. It only reads, and it sees the tables
// of listmonk v2.5 and later.
//
// database.go connects and checks the tables. lists.go has the lists and the Fields of the attributes of their
// subscribers, and subscribers.go the subscriptions as Contacts, with their times and IP addresses. messages.go
// has campaigns and templates, and template.go translates their expressions into merge fields. media.go has the files,
// whose contents are in a folder or in a bucket.
//
// listmonk has one subscriber for several lists, and enlist one Contact for each List. So the ID of a Contact is
// computed: the ID of the subscriber times a power of ten (the IDFactor of the move), plus the ID of the list. Lists
// keep their IDs.
package listmonk
