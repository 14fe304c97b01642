// This file has the shapes of calls that many methods share, such as a search of records. Each
// function reads the parameters, calls a method of the service and writes the result.
// methods.go says which method of the service that is. Calls of other shapes are in call_*.go.

package rpc

import (
	"context"

	"enlist/internal/audience"
)

// service is short for the methods of the service in the table of methods.go.
type service = audience.Service

// addRecord is a call with the details of a new record. Its result is the record's ID.
func addRecord[ID ~int64](
	add func(*service, context.Context, *audience.Caller, []audience.Detail) (ID, error),
) func(*call) error {
	return func(c *call) error {
		details := c.recordDetails(1)
		if c.err != nil {
			return c.err
		}
		id, err := add(c.service, c.ctx, c.caller, details)
		return writeInt(c, id, err)
	}
}

// editRecord is a call with the changed details of a record and its ID among them. Its result
// is the ID.
func editRecord[ID ~int64](
	edit func(*service, context.Context, *audience.Caller, ID, []audience.Detail) (ID, error),
) func(*call) error {
	return func(c *call) error {
		details, id := c.recordDetails(1), ID(c.recordID(1))
		if c.err != nil {
			return c.err
		}
		id, err := edit(c.service, c.ctx, c.caller, id, details)
		return writeInt(c, id, err)
	}
}

// deleteRecord is a call with the ID of a record, which it deletes or empties. Its result is true.
func deleteRecord[ID ~int64](remove func(*service, context.Context, *audience.Caller, ID) error) func(*call) error {
	return func(c *call) error {
		id := ID(c.id(1))
		if c.err != nil {
			return c.err
		}
		return writeTrue(c, remove(c.service, c.ctx, c.caller, id))
	}
}

// deleteInList is deleteRecord for the records of one List.
func deleteInList[ID ~int64](
	remove func(*service, context.Context, *audience.Caller, audience.ListID, ID) error,
) func(*call) error {
	return func(c *call) error {
		list, id := c.list(1), ID(c.id(2))
		if c.err != nil {
			return c.err
		}
		return writeTrue(c, remove(c.service, c.ctx, c.caller, list, id))
	}
}

// getRecord is a call with the ID of a record. Its result is an array of that record.
func getRecord[ID ~int64, T any](
	get func(*service, context.Context, *audience.Caller, ID) (*T, error), attributes []audience.Attribute[T],
) func(*call) error {
	return func(c *call) error {
		id := ID(c.id(1))
		if c.err != nil {
			return c.err
		}
		record, err := get(c.service, c.ctx, c.caller, id)
		return writeRecord(c, encoder(attributes), record, err)
	}
}

// searchRecords is a search of an Account's records.
func searchRecords[T any](
	search func(*service, context.Context, *audience.Caller, audience.Query) ([]T, error),
	attributes []audience.Attribute[T],
) func(*call) error {
	return func(c *call) error {
		q := c.query(1)
		if c.err != nil {
			return c.err
		}
		rows, err := search(c.service, c.ctx, c.caller, q)
		return writeRecords(c, encoder(attributes), rows, err)
	}
}

// countRecords counts what a search without a page would find.
func countRecords[T any](
	search func(*service, context.Context, *audience.Caller, audience.Query) ([]T, error),
) func(*call) error {
	return func(c *call) error {
		q := audience.Query{Criteria: c.criteria(1)}
		if c.err != nil {
			return c.err
		}
		rows, err := search(c.service, c.ctx, c.caller, q)
		return writeInt(c, len(rows), err)
	}
}

// searchInList is searchRecords for the records of one List.
func searchInList[T any](
	search func(*service, context.Context, *audience.Caller, audience.ListID, audience.Query) ([]T, error),
	attributes []audience.Attribute[T],
) func(*call) error {
	return func(c *call) error {
		list, q := c.list(1), c.query(2)
		if c.err != nil {
			return c.err
		}
		rows, err := search(c.service, c.ctx, c.caller, list, q)
		return writeRecords(c, encoder(attributes), rows, err)
	}
}

// changeContact is a call with the IDs of a List and one of its Contacts. Its result is an ID.
func changeContact[ID ~int64](
	change func(*service, context.Context, *audience.Caller, audience.ListID, audience.ContactID) (ID, error),
) func(*call) error {
	return func(c *call) error {
		list, contact := c.list(1), c.contact(2)
		if c.err != nil {
			return c.err
		}
		id, err := change(c.service, c.ctx, c.caller, list, contact)
		return writeInt(c, id, err)
	}
}
