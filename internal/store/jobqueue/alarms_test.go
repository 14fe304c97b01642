package jobqueue

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestAnAlarmWakesItsQueueOnceWhenAJobIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var woken []string
		a := NewAlarms(func(queue string) { woken = append(woken, queue) })
		due := time.Now().Add(3 * time.Second)
		a.Set("notify", due)
		a.Set("notify", due) // another job at the same time
		a.Set("autorespond", due.Add(-time.Hour))
		time.Sleep(alarmStep)
		synctest.Wait()
		if !slices.Equal(woken, []string{"autorespond"}) {
			t.Errorf("the alarms woke %v, want only the queue whose job was due in the past", woken)
		}
		time.Sleep(time.Until(due) - time.Millisecond)
		synctest.Wait()
		if len(woken) != 1 {
			t.Errorf("the alarms woke %v before the job was due", woken)
		}
		time.Sleep(alarmStep + time.Millisecond)
		synctest.Wait()
		if !slices.Equal(woken, []string{"autorespond", "notify"}) {
			t.Errorf("the alarms woke %v, want autorespond and notify once", woken)
		}
	})
}

// The command line closes the store at once after it has retried a job.
func TestCloseRingsOnlyForJobsThatAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var woken []string
		a := NewAlarms(func(queue string) { woken = append(woken, queue) })
		a.Set("later", time.Now().Add(time.Second))
		a.Set("notify", time.Now())
		a.Close()
		a.Set("late", time.Now())
		time.Sleep(time.Minute)
		synctest.Wait()
		if !slices.Equal(woken, []string{"notify"}) {
			t.Errorf("the alarms woke %v, want only notify", woken)
		}
	})
}
