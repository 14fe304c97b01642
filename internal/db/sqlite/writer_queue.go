package sqlite

import (
	"context"
	"slices"

	"enlist/internal/db"
)

// This file decides which goroutine runs the functions of Store.Update, and which functions form a group.

// loneTurns is the number of successive turns with only one function after which a caller runs its function itself.
const loneTurns = 8

// do runs fn in a transaction and returns after the commit. If ctx is cancelled before fn starts,
// fn does not run. After fn has started, do ignores ctx and waits for the result.
func (w *writer) do(ctx context.Context, fn func(*db.Tx) error) error {
	u := &update{ctx: ctx, fn: fn, done: make(chan struct{}, 1)}
	hasTurn, err := w.enter(u)
	switch {
	case err != nil:
		return err
	case hasTurn:
		defer w.leave()
		w.group = append(w.group[:0], u)
		w.run(w.group)
		return u.err
	}
	select {
	case <-u.done:
	case <-ctx.Done():
		if u.state.CompareAndSwap(waiting, abandoned) {
			return ctx.Err()
		}
		<-u.done
	}
	return u.err
}

// enter adds an update to the queue, and gives the turn to the writer's goroutine if no goroutine has it. For a lone caller
// it takes the turn instead.
func (w *writer) enter(u *update) (hasTurn bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false, errClosed
	}
	idle := !w.busy
	w.busy = true
	if idle && w.lone >= loneTurns {
		w.served = 1
		return true, nil
	}
	w.queue = append(w.queue, u)
	if idle {
		w.turn <- struct{}{}
	}
	return false, nil
}

// leave ends the turn of a caller. It gives the turn to the writer's goroutine if there is work to do.
func (w *writer) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) > 0 || w.wal.due(w.walBytes) {
		w.turn <- struct{}{}
		return
	}
	w.idle()
}

// idle ends a turn, and the writer's goroutine after the last group. The caller holds w.mu.
func (w *writer) idle() {
	w.lone++
	if w.served > 1 {
		w.lone = 0
	}
	w.busy, w.served = false, 0
	if w.closed {
		close(w.turn)
	}
}

// close runs the queued functions and stops the goroutine.
func (w *writer) close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		if !w.busy {
			close(w.turn)
		}
	}
	w.mu.Unlock()
	<-w.stopped
}

// loop runs on the writer's goroutine until the store closes.
func (w *writer) loop() {
	defer close(w.stopped)
	for range w.turn {
		for {
			w.limitLog()
			if !w.next() {
				break
			}
			w.run(w.group)
		}
	}
}

// next takes the next group from the queue. If there is none, it ends the turn.
func (w *writer) next() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(len(w.queue), maxGroup)
	if n == 0 {
		w.idle()
		return false
	}
	w.group = append(w.group[:0], w.queue[:n]...)
	w.queue = slices.Delete(w.queue, 0, n)
	w.served += n
	return true
}

// waiting returns the number of functions in the queue.
func (w *writer) waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.queue)
}
