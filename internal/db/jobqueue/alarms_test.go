package jobqueue

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// wakeups returns a function for NewAlarms, and a function that returns the queues that were woken since its last
// call.
func wakeups() (wake func(string), woken func() []string) {
	queues := make(chan string, 10)
	return func(queue string) { queues <- queue }, func() (all []string) {
		synctest.Wait()
		for len(queues) > 0 {
			all = append(all, <-queues)
		}
		return all
	}
}

func TestAnAlarmWakesItsQueueOnceWhenAJobIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wake, woken := wakeups()
		a := NewAlarms(wake)
		due := time.Now().Add(3 * time.Second)
		a.Set("notify", due)
		a.Set("notify", due) // another job at the same time
		a.Set("autorespond", due.Add(-time.Hour))
		time.Sleep(alarmStep)
		if got := woken(); !slices.Equal(got, []string{"autorespond"}) {
			t.Errorf("the alarms woke %v, want only the queue whose job was due in the past", got)
		}
		time.Sleep(time.Until(due) - time.Millisecond)
		if got := woken(); got != nil {
			t.Errorf("the alarms woke %v before the job was due", got)
		}
		time.Sleep(alarmStep + time.Millisecond)
		if got := woken(); !slices.Equal(got, []string{"notify"}) {
			t.Errorf("the alarms woke %v, want notify once", got)
		}
	})
}

// The command line closes the store at once after it has retried a job.
func TestCloseRingsOnlyForJobsThatAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wake, woken := wakeups()
		a := NewAlarms(wake)
		a.Set("later", time.Now().Add(time.Second))
		a.Set("notify", time.Now())
		a.Close()
		a.Set("late", time.Now())
		time.Sleep(time.Minute)
		if got := woken(); !slices.Equal(got, []string{"notify"}) {
			t.Errorf("the alarms woke %v, want only notify", got)
		}
	})
}
