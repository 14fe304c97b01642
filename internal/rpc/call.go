package rpc

import (
	"context"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has functions that build methods of the API, such as a search of records. Each function
// returns a method that reads the parameters, calls the service and writes the result. The table in
// methods_*.go says which function of the service the method calls. The methods that are not built by
// these functions are in call_*.go.

// addRecord returns a method that creates a record from its details. The result of the method is
// the ID of the record.
func addRecord[ID ~int64](
	add func(context.Context, *enlist.Caller, []enlist.Detail) (ID, error),
) func(*call) error {
	return func(c *call) error {
		details := c.recordDetails(1)
		if c.err != nil {
			return c.err
		}
		id, err := add(c.ctx, c.caller, details)
		return writeInt(c, id, err)
	}
}

// editRecord returns a method that changes a record. The caller sends the changed details and, as
// one of them, the ID of the record. The result of the method is this ID.
func editRecord[ID ~int64](
	edit func(context.Context, *enlist.Caller, ID, []enlist.Detail) (ID, error),
) func(*call) error {
	return func(c *call) error {
		details, id := c.recordDetails(1), ID(c.recordID(1))
		if c.err != nil {
			return c.err
		}
		id, err := edit(c.ctx, c.caller, id, details)
		return writeInt(c, id, err)
	}
}

// deleteRecord returns a method that deletes a record by its ID, or clears a List. The result of
// the method is true.
func deleteRecord[ID ~int64](remove func(context.Context, *enlist.Caller, ID) error) func(*call) error {
	return func(c *call) error {
		id := ID(c.id(1))
		if c.err != nil {
			return c.err
		}
		return writeTrue(c, remove(c.ctx, c.caller, id))
	}
}

// deleteInList is like deleteRecord, for a record that belongs to a List. The caller sends the ID
// of the List before the ID of the record.
func deleteInList[ID ~int64](
	remove func(context.Context, *enlist.Caller, enlist.ListID, ID) error,
) func(*call) error {
	return func(c *call) error {
		list, id := c.list(1), ID(c.id(2))
		if c.err != nil {
			return c.err
		}
		return writeTrue(c, remove(c.ctx, c.caller, list, id))
	}
}

// getRecord returns a method that reads one record by its ID. The result of the method is an array
// that has only this record.
func getRecord[ID ~int64, T any](
	get func(context.Context, *enlist.Caller, ID) (*T, error), attributes []enlist.Attribute[T],
) func(*call) error {
	return func(c *call) error {
		id := ID(c.id(1))
		if c.err != nil {
			return c.err
		}
		record, err := get(c.ctx, c.caller, id)
		return writeRecord(c, encoder(attributes), record, err)
	}
}

// searchRecords returns a method that searches the records of an Account.
func searchRecords[T any](
	search func(context.Context, *enlist.Caller, enlist.Query) ([]T, error),
	attributes []enlist.Attribute[T],
) func(*call) error {
	return func(c *call) error {
		q := c.query(1)
		if c.err != nil {
			return c.err
		}
		rows, err := search(c.ctx, c.caller, q)
		return writeRecords(c, encoder(attributes), rows, err)
	}
}

// countRecords returns a method that counts all records that match the criteria.
func countRecords[T any](
	search func(context.Context, *enlist.Caller, enlist.Query) ([]T, error),
) func(*call) error {
	return func(c *call) error {
		q := enlist.Query{Criteria: c.criteria(1)}
		if c.err != nil {
			return c.err
		}
		rows, err := search(c.ctx, c.caller, q)
		return writeInt(c, len(rows), err)
	}
}

// searchInList is like searchRecords, for the records of one List.
func searchInList[T any](
	search func(context.Context, *enlist.Caller, enlist.ListID, enlist.Query) ([]T, error),
	attributes []enlist.Attribute[T],
) func(*call) error {
	return func(c *call) error {
		list, q := c.list(1), c.query(2)
		if c.err != nil {
			return c.err
		}
		rows, err := search(c.ctx, c.caller, list, q)
		return writeRecords(c, encoder(attributes), rows, err)
	}
}

// changeContact returns a method that changes one Contact of a List. The caller sends the IDs of
// the List and of the Contact. The result of the method is the ID that the service returns.
func changeContact[ID ~int64](
	change func(context.Context, *enlist.Caller, enlist.ListID, enlist.ContactID) (ID, error),
) func(*call) error {
	return func(c *call) error {
		list, contact := c.list(1), c.contact(2)
		if c.err != nil {
			return c.err
		}
		id, err := change(c.ctx, c.caller, list, contact)
		return writeInt(c, id, err)
	}
}

// changeContactOf is changeContact for a change by a person, whose IP address follows the IDs.
func changeContactOf[ID ~int64](
	change func(context.Context, *enlist.Caller, contacts.ContactRequest) (ID, error),
) func(*call) error {
	return func(c *call) error {
		r := contacts.ContactRequest{List: c.list(1), Contact: c.contact(2), IP: c.text(3)}
		if c.err != nil {
			return c.err
		}
		id, err := change(c.ctx, c.caller, r)
		return writeInt(c, id, err)
	}
}
