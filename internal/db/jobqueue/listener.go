package jobqueue

import (
	"context"
	"sync"
	"time"

	"github.com/riverqueue/river/riverdriver"
)

// Listener notifies the workers of one queue client of new jobs, for a database that cannot do this. Wake notifies of
// the jobs that this process stores. For jobs of other processes, the Listener looks for changes of the database.
type Listener struct {
	queues  []string
	version func(context.Context) (int64, error)
	awake   chan struct{} // has a value if woken may have a queue

	mu      sync.Mutex
	woken   map[string]bool
	last    int64 // the version at the last look
	checked time.Time
}

// lookInterval is the time between two looks for changes by other processes.
const lookInterval = 500 * time.Millisecond

// NewListener returns a Listener for queues. version returns a number that changes when another process changes
// the database.
func NewListener(queues []string, version func(context.Context) (int64, error)) *Listener {
	return &Listener{queues: queues, version: version, awake: make(chan struct{}, 1), woken: make(map[string]bool)}
}

// Listen returns a driver that works like d, with the notifications of a Listener.
func Listen[TTx any](d riverdriver.Driver[TTx], l *Listener) riverdriver.Driver[TTx] {
	return listening[TTx]{d, l}
}

type listening[TTx any] struct {
	riverdriver.Driver[TTx]
	listener *Listener
}

// GetListener implements riverdriver.Driver.
func (d listening[TTx]) GetListener(*riverdriver.GetListenenerParams) riverdriver.Listener {
	return d.listener
}

// SupportsListener implements riverdriver.Driver.
func (listening[TTx]) SupportsListener() bool { return true }

// Wake notifies the workers of some queues. It does not block.
func (l *Listener) Wake(queues ...string) {
	l.mu.Lock()
	for _, queue := range queues {
		l.woken[queue] = true
	}
	l.mu.Unlock()
	select {
	case l.awake <- struct{}{}:
	default:
	}
}

// WaitForNotification implements riverdriver.Listener. Each notification is for one queue.
func (l *Listener) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	for {
		queue, look := l.next()
		if queue != "" {
			return &riverdriver.Notification{Topic: "river_insert", Payload: `{"queue":"` + queue + `"}`}, nil
		}
		timer := time.NewTimer(look)
		select {
		case <-l.awake:
		case <-timer.C:
			l.look(ctx)
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		timer.Stop()
	}
}

// next removes a queue from woken. If there is none, it returns the time until the next look.
func (l *Listener) next() (queue string, look time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for queue := range l.woken {
		delete(l.woken, queue)
		return queue, 0
	}
	return "", time.Until(l.checked.Add(lookInterval))
}

// look wakes all queues if another process has changed the database. After an error it looks again later.
func (l *Listener) look(ctx context.Context) {
	version, err := l.version(ctx)
	l.mu.Lock()
	l.checked = time.Now()
	changed := err == nil && version != l.last
	if changed {
		l.last = version
	}
	l.mu.Unlock()
	if changed {
		l.Wake(l.queues...)
	}
}

// The other methods of riverdriver.Listener have nothing to do, because a Listener has no connection.

func (*Listener) Close(context.Context) error            { return nil }
func (*Listener) Connect(context.Context) error          { return nil }
func (*Listener) Listen(context.Context, string) error   { return nil }
func (*Listener) Ping(context.Context) error             { return nil }
func (*Listener) Schema() string                         { return "" }
func (*Listener) SetAfterConnectExec(string)             {}
func (*Listener) Unlisten(context.Context, string) error { return nil }
