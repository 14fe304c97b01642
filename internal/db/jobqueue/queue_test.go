package jobqueue

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// isWoken reports whether the workers of the queue were woken since the last call.
func (q *queue) isWoken() bool {
	synctest.Wait()
	select {
	case <-q.wake:
		return true
	default:
		return false
	}
}

// fetched forgets the jobs that are due, as a fetch does.
func (q *queue) fetched() { q.begin(time.Now()) }

func TestAQueueIsWokenWhenAJobIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("notify", Queue{Workers: 1})
		defer q.close()
		due := time.Now().Add(3 * time.Second)
		q.expect(due.Add(time.Minute), rivertype.JobStateScheduled)
		q.expect(due, rivertype.JobStateAvailable)
		q.expect(due, rivertype.JobStateAvailable) // another job at the same time
		if q.isWoken() {
			t.Error("the queue is woken before a job is due")
		}
		for range 3 { // looks
			<-time.After(time.Second - time.Millisecond)
			q.tick(time.Now())
			if q.isWoken() {
				t.Errorf("the queue is woken %v before a job is due", time.Until(due))
			}
		}
		<-time.After(time.Until(due))
		if !q.isWoken() {
			t.Error("the queue is not woken when a job is due")
		}
		q.fetched()
		<-time.After(50 * time.Second)
		q.tick(time.Now())
		if q.isWoken() {
			t.Error("the queue is woken twice for jobs that are due at the same time")
		}
	})
}

// A clock that is set forward starts the jobs at the next look.
func TestAQueueFollowsTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("autorespond", Queue{Workers: 1})
		defer q.close()
		now := time.Now()
		q.set(Due{Scheduled: new(time.Hour)}, now)
		q.tick(now.Add(59 * time.Minute))
		if q.isWoken() {
			t.Error("the queue is woken before the job is due")
		}
		q.tick(now.Add(time.Hour))
		if !q.isWoken() {
			t.Error("the queue is not woken after the clock was set forward")
		}
		if _, due, scheduled := q.begin(now.Add(time.Hour)); !due || !scheduled {
			t.Errorf("due is %v and scheduled is %v, want the job made available", due, scheduled)
		}
	})
}

// While all workers are busy the queue fetches nothing. The end of a job wakes it.
func TestABusyQueueIsWokenByAFreeWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("notify", Queue{Workers: 2})
		defer q.close()
		q.started(2, false)
		q.expect(time.Now(), rivertype.JobStateAvailable)
		q.isWoken()
		if free, _, _ := q.begin(time.Now()); free != 0 {
			t.Errorf("%d workers are free, want 0", free)
		}
		q.done()
		if !q.isWoken() {
			t.Error("the queue is not woken by the end of a job")
		}
		if free, due, _ := q.begin(time.Now()); free != 1 || !due {
			t.Errorf("%d workers are free and due is %v, want 1 and true", free, due)
		}
	})
}
