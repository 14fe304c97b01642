package db

import (
	"context"
	"slices"
	"sync"
	"time"
)

// This file lets all parts of a process find out by one statement a second that a transaction has been committed. So an
// idle process does not read the settings, the queue and the slices of Batches again and again.

// lookInterval is the time between two looks. Another process sees a change after this time at most.
const lookInterval = time.Second

// Looks looks once a second whether a transaction has been committed, while functions want to know it.
type Looks struct {
	version func(context.Context) (string, error)

	mu      sync.Mutex
	all     []*watcher
	stop    context.CancelFunc // of the goroutine that looks
	stopped chan struct{}      // closed when it has ended; nil: none runs
}

// watcher is a function that a Looks calls, and the version that it has seen.
type watcher struct {
	tell func(changed bool)
	seen string
}

// NewLooks returns a Looks. version returns a text that differs after a commit of any process; after a rollback, or
// after a commit in another database of the same server, it may differ too.
func NewLooks(version func(context.Context) (string, error)) *Looks { return &Looks{version: version} }

// Watch calls tell each second, the first time within a second, until the caller calls the function that it returns. changed is true if a
// transaction may have been committed since the last call with true, and at the first look. tell must not block. After
// the returned function has returned, tell is not called any more.
func (w *Looks) Watch(tell func(changed bool)) (stop func()) {
	added := &watcher{tell: tell}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, added)
	if w.stopped == nil {
		ctx, stop := context.WithCancel(context.Background())
		w.stop, w.stopped = stop, make(chan struct{})
		go w.run(ctx, w.stopped)
	}
	return func() { w.remove(added) }
}

// remove removes a watcher. The last one ends the goroutine.
func (w *Looks) remove(gone *watcher) {
	w.mu.Lock()
	w.all = slices.DeleteFunc(w.all, func(o *watcher) bool { return o == gone })
	stopped := w.stopped
	if len(w.all) > 0 || stopped == nil {
		w.mu.Unlock()
		return
	}
	w.stop()
	w.stopped = nil
	w.mu.Unlock()
	<-stopped
}

func (w *Looks) run(ctx context.Context, stopped chan struct{}) {
	defer close(stopped)
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	for {
		w.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look tells the watchers what they have not seen. After an error they have seen nothing, because the next answer can be
// that of another server.
func (w *Looks) look(ctx context.Context) {
	version, err := w.version(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return // the watchers belong to another goroutine, or there are none
	}
	for _, o := range w.all {
		changed := err == nil && version != o.seen
		if err != nil {
			version = ""
		}
		o.seen = version
		o.tell(changed)
	}
}
