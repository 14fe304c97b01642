package jobqueue

import (
	"sync"
	"time"
)

// alarmStep is the precision of Alarms. Jobs of a queue that become due within one step share an alarm.
const alarmStep = 50 * time.Millisecond

// Alarms wakes the workers of a queue when a job becomes due. So the workers find retried and scheduled jobs
// on time, although they poll seldom. Alarms exist only in memory: after a crash the workers find the jobs
// when they poll.
type Alarms struct {
	wake func(queue string)

	mu     sync.Mutex // held while wake runs
	timers map[alarm]*time.Timer
	closed bool
}

type alarm struct {
	queue string
	step  int64 // the end of the step, in alarmSteps since 1970
}

func (a alarm) end() time.Time { return time.UnixMilli(a.step * alarmStep.Milliseconds()) }

// NewAlarms returns Alarms without an alarm. wake must not block.
func NewAlarms(wake func(queue string)) *Alarms {
	return &Alarms{wake: wake, timers: make(map[alarm]*time.Timer)}
}

// Set adds an alarm for a job of a queue that is due at a time.
func (a *Alarms) Set(queue string, at time.Time) {
	now := time.Now()
	if at.Before(now) {
		at = now
	}
	set := alarm{queue, at.UnixMilli()/alarmStep.Milliseconds() + 1}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || a.timers[set] != nil {
		return
	}
	a.timers[set] = time.AfterFunc(set.end().Sub(now), func() { a.ring(set) })
}

func (a *Alarms) ring(set alarm) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closed {
		delete(a.timers, set)
		a.wake(set.queue)
	}
}

// Close rings the alarms of jobs that are due now: the command line closes the store at once after it has retried
// a job. It stops all other alarms. After it returns, wake is not called any more.
func (a *Alarms) Close() {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	for set, t := range a.timers {
		if t.Stop() && set.end().Sub(now) <= alarmStep {
			a.wake(set.queue)
		}
	}
}
