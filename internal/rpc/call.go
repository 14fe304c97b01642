package rpc

import (
	"context"

	"enlist/internal/enlist"
)

// This file makes methods of the API from functions of the Services. The table in methods_*.go says how the parameters
// of a method are read, which function gets their values, and how its result is written. call_*.go have methods of other
// shapes, and readers and writers of single methods.

// reader reads a value from the parameters that begin at a position.
type reader[T any] func(p *params, i int) T

// writer writes a result, unless the call failed.
type writer[R any] func(c *call, result R, err error) error

// run0 returns a method without parameters.
func run0[R any](do func(context.Context, *enlist.Caller) (R, error), write writer[R]) func(*call) error {
	return func(c *call) error {
		result, err := do(c.ctx, c.caller)
		return write(c, result, err)
	}
}

// run1 returns a method with one value, which may have several parameters.
func run1[A, R any](read reader[A], do func(context.Context, *enlist.Caller, A) (R, error),
	write writer[R]) func(*call) error {
	return func(c *call) error {
		a := read(&c.params, 1)
		if c.err != nil {
			return c.err
		}
		result, err := do(c.ctx, c.caller, a)
		return write(c, result, err)
	}
}

// run2 returns a method with two values. The first has one parameter.
func run2[A, B, R any](first reader[A], second reader[B],
	do func(context.Context, *enlist.Caller, A, B) (R, error), write writer[R]) func(*call) error {
	return func(c *call) error {
		a, b := first(&c.params, 1), second(&c.params, 2)
		if c.err != nil {
			return c.err
		}
		result, err := do(c.ctx, c.caller, a, b)
		return write(c, result, err)
	}
}

// run3 returns a method with three values. The first two have one parameter each.
func run3[A, B, C, R any](first reader[A], second reader[B], third reader[C],
	do func(context.Context, *enlist.Caller, A, B, C) (R, error), write writer[R]) func(*call) error {
	return func(c *call) error {
		x, y, z := first(&c.params, 1), second(&c.params, 2), third(&c.params, 3)
		if c.err != nil {
			return c.err
		}
		result, err := do(c.ctx, c.caller, x, y, z)
		return write(c, result, err)
	}
}

// act1 is run1 for a function without a result. The result of the method is true.
func act1[A any](read reader[A], do func(context.Context, *enlist.Caller, A) error) func(*call) error {
	return run1(read, func(ctx context.Context, c *enlist.Caller, a A) (bool, error) {
		return true, do(ctx, c, a)
	}, writeBool)
}

// act2 is run2 for a function without a result.
func act2[A, B any](first reader[A], second reader[B],
	do func(context.Context, *enlist.Caller, A, B) error) func(*call) error {
	return run2(first, second, func(ctx context.Context, c *enlist.Caller, a A, b B) (bool, error) {
		return true, do(ctx, c, a, b)
	}, writeBool)
}

// act3 is run3 for a function without a result.
func act3[A, B, C any](first reader[A], second reader[B], third reader[C],
	do func(context.Context, *enlist.Caller, A, B, C) error) func(*call) error {
	return run3(first, second, third, func(ctx context.Context, c *enlist.Caller, x A, y B, z C) (bool, error) {
		return true, do(ctx, c, x, y, z)
	}, writeBool)
}

// rows1 is run1 for a function that sends the rows of the result to a writer. each appends a row.
func rows1[A, T any](read reader[A], do func(context.Context, *enlist.Caller, A, enlist.RowWriter[T]) error,
	each func([]byte, *T) []byte) func(*call) error {
	return func(c *call) error {
		a := read(&c.params, 1)
		if c.err != nil {
			return c.err
		}
		return writeRows(c, each, func(w enlist.RowWriter[T]) error { return do(c.ctx, c.caller, a, w) })
	}
}

// rows2 is rows1 for two values.
func rows2[A, B, T any](first reader[A], second reader[B],
	do func(context.Context, *enlist.Caller, A, B, enlist.RowWriter[T]) error,
	each func([]byte, *T) []byte) func(*call) error {
	return func(c *call) error {
		a, b := first(&c.params, 1), second(&c.params, 2)
		if c.err != nil {
			return c.err
		}
		return writeRows(c, each, func(w enlist.RowWriter[T]) error { return do(c.ctx, c.caller, a, b, w) })
	}
}

// editRecord returns a method that changes a record. The caller sends the changed details and, as one of them, the ID
// of the record. The result of the method is this ID.
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

// The readers of parameters that many methods have.
var (
	readList, readContact  = (*params).list, (*params).contact
	readText, readRequired = (*params).text, (*params).requiredText
	readQuery              = (*params).query
	readCriteria           = (*params).criteria
	readDetails            = (*params).recordDetails
)

// readID reads an ID.
func readID[ID ~int64](p *params, i int) ID { return ID(p.id(i)) }

// readMatching reads criteria, without the other parameters of a search.
func readMatching(p *params, i int) enlist.Query { return enlist.Query{Criteria: p.criteria(i)} }

// writeEach writes an array of records. A long reply is sent in parts. No error can occur after the first part, because
// all records are in memory.
func writeEach[T any](attributes []enlist.Attribute[T]) writer[[]T] {
	encode := Encoder(attributes)
	return func(c *call, records []T, err error) error { return writeRecords(c, encode, records, err) }
}

// writeOne writes an array that has only one record.
func writeOne[T any](attributes []enlist.Attribute[T]) writer[*T] {
	encode := Encoder(attributes)
	return func(c *call, record *T, err error) error {
		if err == nil {
			c.reply.buf = append(encode(append(c.reply.buf, '['), record), ']')
		}
		return err
	}
}

// writeObject writes the object that encode appends.
func writeObject[T any](encode func([]byte, *T) []byte) writer[*T] {
	return func(c *call, record *T, err error) error {
		if err == nil {
			c.reply.buf = encode(c.reply.buf, record)
		}
		return err
	}
}

// writeCount writes the number of records.
func writeCount[T any](c *call, records []T, err error) error { return writeInt(c, len(records), err) }
