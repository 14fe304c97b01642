package sending

import (
	"context"
	"sync"
)

// grouper runs a function for many callers together. Calls that arrive while the function runs share the
// next run. So a transaction serves one caller if the process is idle, and many callers if it is busy.
type grouper[I, O any] struct {
	// run returns one result for each input. After an error nothing of the run is stored.
	run func(ctx context.Context, in []I) ([]O, error)

	mu      sync.Mutex
	running bool
	waiting []*groupedCall[I, O]
}

// groupedCall is one call of do.
type groupedCall[I, O any] struct {
	in    I
	out   O
	err   error
	ended bool
	wake  chan struct{} // receives one value: the call has ended, or must run the next group
}

// maxGroup is the largest number of calls that share a run.
const maxGroup = 100

// do returns the result of the input. The first of the waiting calls runs the group. The other calls do not
// stop to wait if their contexts end, because the run may already have stored their results.
func (g *grouper[I, O]) do(ctx context.Context, in I) (O, error) {
	c := &groupedCall[I, O]{in: in, wake: make(chan struct{}, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, c)
	first := !g.running
	g.running = true
	g.mu.Unlock()
	if !first {
		<-c.wake
	}
	if !c.ended {
		g.runNext(context.WithoutCancel(ctx))
	}
	return c.out, c.err
}

// runNext runs the group of the first waiting calls. Its caller is the first of them. Then it wakes the calls
// of the group, and the call that runs the next group.
func (g *grouper[I, O]) runNext(ctx context.Context) {
	g.mu.Lock()
	n := min(len(g.waiting), maxGroup)
	group := g.waiting[:n:n]
	g.waiting = g.waiting[n:]
	g.mu.Unlock()
	g.serve(ctx, group)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = len(g.waiting) > 0
	if g.running {
		g.waiting[0].wake <- struct{}{}
	}
	for _, c := range group[1:] {
		c.wake <- struct{}{}
	}
}

// serve runs a group and sets the results of its calls. If the run of several calls fails, serve runs each call
// alone, so that one call cannot make the others fail. These runs are concurrent: without the database each of them
// takes as long as a transaction may wait.
func (g *grouper[I, O]) serve(ctx context.Context, group []*groupedCall[I, O]) {
	in := make([]I, len(group))
	for i, c := range group {
		in[i] = c.in
	}
	out, err := g.run(ctx, in)
	var alone sync.WaitGroup
	defer alone.Wait()
	for i, c := range group {
		c.ended = true
		switch {
		case err == nil:
			c.out = out[i]
		case len(group) == 1:
			c.err = err
		default:
			alone.Go(func() { g.serve(ctx, group[i:i+1]) })
		}
	}
}
