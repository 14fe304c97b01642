package db

import "context"

// This file lets several Views be parts of one, so that all that a page of the administration reads is of one moment.

// oneView is a View that others join.
type oneView struct {
	tx   *Tx
	done <-chan struct{} // of the context with which it began
}

type oneViewKey struct{}

// OneView runs fn in a View. Views that begin with the context of fn, or with one that ends at the same time, are parts of
// this one. A View with a time limit of its own is another one, because its end would end the whole transaction. Only
// one goroutine uses the context. fn may run more than once, and must not wait for an Update: all connections could be
// those of functions that wait.
func (db *DB) OneView(ctx context.Context, fn func(context.Context) error) error {
	return db.Engine.View(ctx, func(tx *Tx) error {
		return fn(context.WithValue(ctx, oneViewKey{}, &oneView{tx, ctx.Done()}))
	})
}

// View implements Transactor.
func (db *DB) View(ctx context.Context, fn func(*Tx) error) error {
	if v, ok := ctx.Value(oneViewKey{}).(*oneView); ok && v.done == ctx.Done() {
		return fn(v.tx)
	}
	return db.Engine.View(ctx, fn)
}
