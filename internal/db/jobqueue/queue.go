package jobqueue

import (
	"sync"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// This file knows when the next job of a queue is due. There is a timer only for a job that is due before the next look.
// Until then each look compares the clock, so a clock that is set forward starts the jobs.

// Due says when the first waiting job of a queue is due. The times are measured by the database's clock, which also
// decides what a worker can fetch.
type Due struct {
	Queue     string
	Available *time.Duration // until the first job is due that is available, or retried soon; nil: there is none
	Scheduled *time.Duration // until the first job is due that MakeDueAvailable makes available; nil: there is none
}

// soon is longer than the time between two looks.
const soon = 1200 * time.Millisecond

// queue has the state of a Queue in this process.
type queue struct {
	Queue
	name string
	wake chan struct{} // has a value if a worker may find a job

	mu        sync.Mutex
	running   int
	waiting   bool      // jobs may be left, because all workers were busy
	available time.Time // when the first available job is due that is not due yet; zero: none is known
	scheduled time.Time // the same for jobs that are not available
	timer     *time.Timer
}

func newQueue(name string, q Queue) *queue {
	if q.Pause == 0 {
		q.Pause = 100 * time.Millisecond
	}
	return &queue{Queue: q, name: name, wake: make(chan struct{}, 1)}
}

// call wakes the goroutine that fetches jobs.
func (q *queue) call() { signal(q.wake) }

// signal gives a channel a value, unless it has one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// expect notes that a job in a state is due at a time.
func (q *queue) expect(due time.Time, state rivertype.JobState) {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := &q.scheduled
	if state == rivertype.JobStateAvailable {
		first = &q.available
	}
	if first.IsZero() || due.Before(*first) {
		*first = due
	}
	q.arm(time.Now())
}

// set notes what the database says.
func (q *queue) set(d Due, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.available, q.scheduled = after(now, d.Available), after(now, d.Scheduled)
	q.arm(now)
}

func after(now time.Time, wait *time.Duration) time.Time {
	if wait == nil {
		return time.Time{}
	}
	return now.Add(*wait).Round(0) // without the monotonic clock, which does not jump
}

// tick compares the clock.
func (q *queue) tick(now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.arm(now)
}

// arm wakes the workers if a job is due, and sets the timer if one is due soon. The caller has locked q.mu.
func (q *queue) arm(now time.Time) {
	now = now.Round(0)
	for _, due := range []time.Time{q.available, q.scheduled} {
		switch wait := due.Sub(now); {
		case due.IsZero() || wait > soon:
		case wait <= 0:
			q.call()
		case q.timer == nil:
			q.timer = time.AfterFunc(wait, func() { q.ring() })
		}
	}
}

// ring is called by the timer.
func (q *queue) ring() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.timer = nil
	q.arm(time.Now())
}

// begin returns how many workers are free. If one is, it also returns whether jobs have become due since the last
// fetch, and whether some of them are not available; it forgets their times.
func (q *queue) begin(now time.Time) (free int, due, scheduled bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	free = q.Workers - q.running
	if free <= 0 {
		q.waiting = true
		return 0, false, false
	}
	now = now.Round(0)
	if !q.available.IsZero() && !q.available.After(now) {
		q.available, due = time.Time{}, true
	}
	if !q.scheduled.IsZero() && !q.scheduled.After(now) {
		q.scheduled, due, scheduled = time.Time{}, true, true
	}
	return free, due, scheduled
}

// started counts jobs that begin.
func (q *queue) started(jobs int, all bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running += jobs
	q.waiting = !all
	if q.waiting && q.running < q.Workers { // a job has ended meanwhile
		q.waiting = false
		q.call()
	}
}

// done counts a job that has ended.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	if q.waiting {
		q.waiting = false
		q.call()
	}
}

// close stops the timer.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.available, q.scheduled = time.Time{}, time.Time{}
	if q.timer != nil {
		q.timer.Stop()
	}
}
