package storetest

import (
	"testing"

	"enlist/internal/db"
)

// This file tests what a store keeps, and calls many suites of other files.

// Engine has the functions that the suites need for one engine.
type Engine struct {
	Name string
	// Open returns an empty store that no other test uses until the test ends.
	Open func(t *testing.T) db.Engine
	// Shared returns the store of all tests that are kept apart by their Account.
	Shared func(t *testing.T) db.Engine
	// Jobs returns how many jobs of a kind wait in the queue of a store.
	Jobs func(t *testing.T, s db.Engine, kind string) int
}

// runStore runs most tests of this package on one engine. The name of most subtests is the rule
// that they test. The subtests bounces, events and webhooks have such subtests of their own.
func runStore(t *testing.T, e Engine) {
	for _, c := range []struct {
		rule string
		test func(*testing.T, db.Engine)
	}{
		{"an Account is returned with the content that was stored", accountRecords},
		{"a key is found by its hash until it is revoked", keys},
		{"a List is returned with the content that was stored, and its ID is never used again", listRecords},
		{"a Field is returned with the content that was stored", fields},
		{"a Contact is found by ID, address and mobile number", contactRecords},
		{"exactly one of the Contacts with the same address is the primary", sameAddress},
		{"Contacts are removed in batches, and their IDs are never used again", removal},
		{"values of a deleted Field are removed in batches", fieldValueDeletion},
		{"the ledger returns a Contact's rows, newest first", ledger},
		{"the Unsubscriber List can be read for an Account or for one of its Lists", unsubscribers},
		{"a repeated call within a day gets the saved result", retries},
		{"expired results of calls are removed in batches", expiredRetries},
		{"nothing that a failed function wrote is stored", failedUpdate},
		{"the figures for metrics count what waits and what is recent", figures},
		{"reads of one Account leave half of the connections to other Accounts", sharedConnections},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			c.test(t, e.Open(t))
		})
	}
	for _, c := range []struct {
		rule string
		test func(*testing.T, Engine)
	}{
		{"bounces", bounces},
		{"a job a day removes old data", retentionIsScheduled},
		{"changes in the ledger", ledgerChanges},
		{"persons", persons},
		{"audit log", auditLogRules},
		{"address changes", addressChanges},
		{"events", eventRules},
		{"webhooks", webhookRules},
		{"concurrent clients create one Contact for each address", clients},
		{"concurrent clients fill an Account to its limit exactly", contactLimit},
		{"unsubscribing an address unsubscribes all its Contacts once", manyOfOneAddress},
		{"concurrent copies of a call are executed once", sameRetry},
		{"a function that runs twice has the effects of one run", rerunFunctions},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			c.test(t, e)
		})
	}
}
