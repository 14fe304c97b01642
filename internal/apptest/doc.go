// Package apptest has the fixtures that the tests of several subjects share. Only tests use it.
//
// Run runs the test of each rule on each engine, with a fixture of its own:
//
//	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
//		{"a new List has defaults for attributes that the call does not send", addList},
//	})
//
// Shared is for tests of one Account, Own for tests of a whole database. The fixtures are Store (no Account), Account
// (an App, a caller with a full-access key and a clock), Batches (also a Message and a List; their mails are sent
// without a mail server), SentBatch (a Batch that was sent) and Autoresponder. Most of their methods call the App and
// fail the test after an unexpected result.
//
// ReadTraces compares each mail that a mail server for tests gets with the consent of its recipient.
//
// The package does not open a server: internal/rpc, internal/web and others do so for their own tests.
package apptest
