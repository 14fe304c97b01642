package jobqueue_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/jobqueue"

	"go.uber.org/goleak"
)

// The tests in this file run a Client in a bubble: a wait for a clock takes no time, and a wait for the database does not
// let the clock go on. So a job whose start needs a clock starts at another time than it was stored.

func TestMain(m *testing.M) { dbtest.Main(m, func() error { return goleak.Find() }) }

// probe is an effect of the tests.
type probe struct{ Fails int }

// Kind implements db.Effect.
func (probe) Kind() string { return "probe" }

// process is a process that runs probes.
type process struct {
	*testing.T
	*dbtest.Store
	began chan time.Time
	ended chan jobqueue.Event
}

// start opens a database and runs its probes. work is their work.
func start(t *testing.T, address string, work func(context.Context, db.Job) error) *process {
	t.Helper()
	p := &process{t, dbtest.Opened(t, address), make(chan time.Time, 100), make(chan jobqueue.Event, 100)}
	client, err := p.Jobs(&jobqueue.Config{Queues: map[string]jobqueue.Queue{"probe": {Workers: 2,
		Work: func(ctx context.Context, j db.Job, _ []byte) error {
			p.began <- time.Now()
			return work(ctx, j)
		}}}, Ended: func(e jobqueue.Event) { p.ended <- e }, RescueAfter: time.Hour, KeepCancelled: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	client.Start(t.Context())
	t.Cleanup(func() { client.StopAndCancel(context.Background()) })
	return p
}

// enqueue stores a job and returns when it was committed.
func enqueue(t *testing.T, s *dbtest.Store) time.Time {
	t.Helper()
	if err := s.Update(t.Context(), func(tx *db.Tx) error { return tx.Enqueue(probe{}) }); err != nil {
		t.Fatal(err)
	}
	return time.Now()
}

func succeed(context.Context, db.Job) error { return nil }

// inBubble runs a test on each engine in a bubble.
func inBubble(t *testing.T, test func(t *testing.T, address string)) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		address := e.New(t)
		synctest.Test(t, func(t *testing.T) { test(t, address) })
	})
}

// A job begins without any wait for a clock after its transaction. A job of another process begins at the next look,
// and one look a second is all that an idle process does.
//
// covers: decision 152
func TestJobsBeginWithoutAPoll(t *testing.T) {
	inBubble(t, func(t *testing.T, address string) {
		p := start(t, address, succeed)
		other := dbtest.Opened(t, address)
		for range 5 {
			<-time.After(5 * time.Second)
			stored := enqueue(t, p.Store)
			if wait := (<-p.began).Sub(stored); wait != 0 {
				t.Errorf("the job of this process began after %v, want at once", wait)
			}
			<-time.After(5 * time.Second)
			stored = enqueue(t, other)
			// The clock of the database is not that of the bubble. It shows times to the millisecond.
			if wait := (<-p.began).Sub(stored); wait > time.Second+10*time.Millisecond {
				t.Errorf("the job of another process began after %v, want at most a second", wait)
			}
		}
		<-time.After(5 * time.Second) // all results are stored, and the looks have seen it
		before, changes := p.Statements(), new(atomic.Int64)
		defer p.Watch(func(changed bool) { changes.Add(db.Bit(changed)) })() // on PostgreSQL, also of other tests
		<-time.After(30 * time.Second)
		synctest.Wait()
		if n := p.Statements() - before; n > 40+10*changes.Load() {
			t.Errorf("a queue without jobs ran %d statements in 30 seconds with %d changes, want about one a second", n,
				changes.Load())
		}
	})
}

// A job that failed runs again, and one that failed for ever does not. One that was put back does not count as tried.
func TestFailedJobsRunAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, address string) {
		runs := 0
		p := start(t, address, func(_ context.Context, j db.Job) error {
			runs++
			switch runs {
			case 1:
				return &db.Retry{Err: errors.New("no answer"), After: 0}
			case 2:
				panic("broken")
			case 3:
				return db.Later(0)
			case 4:
				if j.Attempt != 3 || j.Postponed != 1 {
					t.Errorf("the job is %+v, want its third attempt, and put back once", j)
				}
				return &db.Final{Err: errors.New("refused")}
			}
			return nil
		})
		enqueue(t, p.Store)
		want := []jobqueue.Kind{jobqueue.Failed, jobqueue.Failed, jobqueue.Postponed, jobqueue.Cancelled}
		for i, kind := range want {
			e := <-p.ended
			if e.Kind != kind {
				t.Fatalf("run %d ended as %s, want %s", i+1, e.Kind, kind)
			}
			if kind == jobqueue.Cancelled && (len(e.Job.Errors) != 3 || e.Job.Errors[1].Trace == "" ||
				e.Job.Errors[2].Error != "refused") {
				t.Errorf("the errors are %+v, want three, the second with its stack", e.Job.Errors)
			}
		}
	})
}

// A process that stops puts the job that it runs back.
func TestStoppedJobIsPutBack(t *testing.T) {
	inBubble(t, func(t *testing.T, address string) {
		s := dbtest.Opened(t, address)
		running := make(chan struct{})
		var ended jobqueue.Event
		client, err := s.Jobs(&jobqueue.Config{Queues: map[string]jobqueue.Queue{"probe": {Workers: 1,
			Work: func(ctx context.Context, _ db.Job, _ []byte) error {
				close(running)
				<-ctx.Done()
				return ctx.Err()
			}}}, Ended: func(e jobqueue.Event) { ended = e }})
		if err != nil {
			t.Fatal(err)
		}
		client.Start(t.Context())
		enqueue(t, s)
		<-running
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := client.Stop(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Stop returns %v while a job runs, want the end of its context", err)
		}
		if err := client.StopAndCancel(t.Context()); err != nil {
			t.Error(err)
		}
		if ended.Kind != jobqueue.Postponed || ended.Job.State != "available" || ended.Job.Attempt != 0 {
			t.Errorf("the job ended as %+v, want it available after 0 attempts", ended)
		}
	})
}

// A job that runs again in a while is known to be due, whichever driver has written the time.
func TestDueTimesOfRetriedJobsAreRead(t *testing.T) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		p := start(t, e.New(t), func(context.Context, db.Job) error { return &db.Retry{After: time.Hour, Err: errors.New("later")} })
		enqueue(t, p.Store)
		<-p.ended
		due, err := p.Engine.(jobqueue.Database).DueJobs(t.Context(), []string{"probe"})
		if err != nil || len(due) != 1 || due[0].Scheduled == nil || due[0].Scheduled.Round(10*time.Minute) != time.Hour {
			t.Errorf("got %+v, error %v; want a job that is due in an hour", due, err)
		}
	})
}
