// Package jobqueue runs the jobs of the queue, which is the table river_job of the library River. The library makes the
// tables, and has most of the SQL (riverdriver.Executor), the commands that list, retry and delete jobs, and the rows of
// new jobs. Its client, which would run the jobs, wakes an idle process more than twenty times a second. So this package
// has one of its own:
//
//   - client.go: what runs jobs, from Start to Stop
//   - queue.go: the jobs of one kind: when the next is due, and how many run
//   - fetch.go: workers take jobs and run them
//   - results.go: what becomes of a job, stored for many jobs in one transaction
//   - processes.go: the jobs of processes that have died, and of other processes
//   - upkeep.go: old jobs, and indexes
//
// No worker polls. A process knows when its own jobs are due: the store says what it has stored (Workers). The jobs of
// other processes it finds by the one look a second (db.Looks), and then reads when the first job of each queue is due.
// This look also finds a job whose process was killed before it woke its workers.
package jobqueue

import (
	"context"
	"crypto/rand"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/db"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// Config says which jobs a Client runs, and how.
type Config struct {
	Queues        map[string]Queue // by kind of jobs
	Timeout       time.Duration    // longest time of a job; 0: no limit
	RescueAfter   time.Duration    // after this time, a job of an unknown process counts as failed; longer than Timeout
	KeepCancelled time.Duration    // time after which a cancelled job is deleted
	Log           *slog.Logger
	Ended         func(Event) // gets each result after it was stored; for tests
}

// Queue has the jobs of one kind.
type Queue struct {
	Workers int           // largest number of jobs that run at the same time
	Pause   time.Duration // shortest time between two fetches
	Private bool          // the errors of its jobs contain addresses: only the level debug logs them
	// Work does the work of a job. Its error can be a db.Later, a *db.Retry or a *db.Final.
	Work func(ctx context.Context, j db.Job, args []byte) error
}

// Library has the methods of the library's client that read and change jobs.
type Library interface {
	JobList(ctx context.Context, params *river.JobListParams) (*river.JobListResult, error)
	JobRetry(ctx context.Context, id int64) (*rivertype.JobRow, error)
	JobDelete(ctx context.Context, id int64) (*rivertype.JobRow, error)
}

// Database is the store of the jobs.
type Database interface {
	db.Presence
	Running
	Watch(tell func(changed bool)) (stop func())
	// DueJobs returns when the first waiting job of each queue is due.
	DueJobs(ctx context.Context, queues []string) ([]Due, error)
	// MakeDueAvailable makes jobs of a queue that have become due available, so that a worker can fetch them.
	MakeDueAvailable(ctx context.Context, queue string) error
	// DeleteDone deletes the jobs of runs that have done their work, unless a later run has begun. It returns the ID and
	// the kind of each. A job can be available or retryable, if another process has returned or rescued it meanwhile.
	DeleteDone(ctx context.Context, done []Run) ([]*rivertype.JobRow, error)
	// Reindexes reports whether indexes of the table become larger with each job.
	Reindexes() bool
}

// Run is one run of a job.
type Run struct {
	ID      int64
	Attempt int
}

// Client lists and changes jobs. After Start it also runs those of its queues.
type Client struct {
	Library
	db      Database
	exec    riverdriver.Executor
	workers *Workers
	config  *Config
	log     *slog.Logger
	name    string // of this process in its jobs while it has no token (db.Presence)
	queues  map[string]*queue
	results results

	heldBy sync.Mutex
	names  map[string]bool // of this process in jobs, also former ones
	held   map[int64]bool  // jobs whose results are not stored

	reading sync.Mutex    // held while due times are read and set
	look    chan struct{} // has a value if jobs may have changed
	read    atomic.Int64  // Unix time of the last look
	others  atomic.Bool   // other processes run jobs
	warned  atomic.Int64  // Unix time of the last warning about the database
	rescued time.Time     // only for the goroutine that looks

	stop, cancel context.CancelFunc // the workers fetch no more jobs; the jobs end
	loops, jobs  sync.WaitGroup
	ended        chan struct{}
}

// New returns a Client. workers are those of the process that uses the database.
func New(l Library, d Database, exec riverdriver.Executor, workers *Workers, config *Config) *Client {
	c := &Client{Library: l, db: d, exec: exec, workers: workers, config: config, log: config.Log, name: rand.Text(),
		names: make(map[string]bool), held: make(map[int64]bool), queues: make(map[string]*queue), look: make(chan struct{}, 1), results: newResults()}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	for name, q := range config.Queues {
		c.queues[name] = newQueue(name, q)
	}
	return c
}

// Start starts to run jobs, until Stop or StopAndCancel. ctx is for the jobs.
func (c *Client) Start(ctx context.Context) {
	work, cancel := context.WithCancel(ctx)
	fetch, stop := context.WithCancel(work)
	c.stop, c.cancel, c.ended = stop, cancel, make(chan struct{})
	c.workers.add(c)
	for _, q := range c.queues {
		c.loops.Go(func() { c.serve(fetch, work, q) })
	}
	c.loops.Go(func() { c.watch(fetch) })
	c.loops.Go(func() { c.keepUp(fetch) })
	stored := make(chan struct{})
	var storing sync.WaitGroup
	storing.Go(func() { c.storeResults(stored) })
	go func() {
		c.loops.Wait() // after that, no job starts
		c.jobs.Wait()
		close(stored)
		storing.Wait()
		close(c.ended)
	}()
}

// Stop starts no further jobs and waits until the running jobs have ended, or ctx ends.
func (c *Client) Stop(ctx context.Context) error {
	if c.stop == nil {
		return nil
	}
	c.stop()
	c.workers.remove(c)
	select {
	case <-c.ended:
		c.cancel()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// StopAndCancel ends the contexts of the running jobs and waits until they have ended, or ctx ends. They go back to
// their queues.
func (c *Client) StopAndCancel(ctx context.Context) error {
	if c.cancel != nil {
		c.cancel()
	}
	return c.Stop(ctx)
}

// JobRetry makes a job available, and wakes the workers of this process.
func (c *Client) JobRetry(ctx context.Context, id int64) (*rivertype.JobRow, error) {
	job, err := c.Library.JobRetry(ctx, id)
	if err == nil && job.State == rivertype.JobStateAvailable {
		c.workers.wake(job.Queue)
	}
	return job, err
}

// watch finds the jobs of other processes until ctx ends. Clocks can jump, and not every error is noticed, so it reads
// when the next jobs are due at least every readAgain.
func (c *Client) watch(ctx context.Context) {
	defer c.db.Watch(func(changed bool) {
		now := time.Now()
		for _, q := range c.queues {
			q.tick(now)
		}
		if changed || c.others.Load() || now.Sub(time.Unix(c.read.Load(), 0)).Abs() >= readAgain {
			signal(c.look)
		}
	})()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.look:
		}
		c.read.Store(time.Now().Unix())
		if err := c.returnJobs(ctx); err != nil {
			c.trouble(ctx, "find the jobs of other processes", err)
			c.read.Store(0) // the next look tries again
		}
		c.readDue(ctx, slices.Sorted(maps.Keys(c.queues)))
	}
}

const readAgain = time.Minute

// readDue reads when the next jobs of some queues are due. After an error, the next look tries again.
func (c *Client) readDue(ctx context.Context, names []string) {
	c.reading.Lock() // otherwise an older answer could replace a newer one
	defer c.reading.Unlock()
	due, err := c.db.DueJobs(ctx, names)
	if err != nil {
		c.trouble(ctx, "read when jobs are due", err)
		c.read.Store(0)
		return
	}
	now := time.Now()
	for _, d := range due {
		c.queues[d.Queue].set(d, now)
	}
}

// warningInterval is the shortest time between two warnings about the database, in seconds.
const warningInterval = 60

// trouble logs an error of the database, unless the process stops. All parts of the queue find it at the same time, and
// again and again.
func (c *Client) trouble(ctx context.Context, doing string, err error) {
	last, now := c.warned.Load(), time.Now().Unix()
	if ctx.Err() == nil && now-last >= warningInterval && c.warned.CompareAndSwap(last, now) {
		c.log.Warn("the job queue cannot use the database; it tries again, and logs this at most once a minute",
			"doing", doing, "error", err)
	}
}

// Workers are the started Clients of a process. The store tells them which jobs it has stored.
type Workers struct {
	mu  sync.Mutex
	all []*Client
}

func (w *Workers) add(c *Client) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, c)
}

func (w *Workers) remove(c *Client) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = slices.DeleteFunc(w.all, func(o *Client) bool { return o == c })
}

// each calls do for each queue of a name.
func (w *Workers) each(name string, do func(*queue)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.all {
		if q := c.queues[name]; q != nil {
			do(q)
		}
	}
}

func (w *Workers) wake(name string) { w.each(name, (*queue).call) }

// Stored wakes the workers of effects whose jobs were committed, when the jobs are due. It does not block.
func (w *Workers) Stored(effects []db.Effect) {
	for _, e := range effects {
		if due := DueTime(e); !due.IsZero() {
			w.each(e.Kind(), func(q *queue) { q.expect(due, rivertype.JobStateScheduled) })
		} else {
			w.wake(e.Kind())
		}
	}
}

// DueTime returns when the job of an effect is due, or the zero time if it is due now.
func DueTime(e db.Effect) time.Time {
	if timed, ok := e.(db.Timed); ok && timed.DueTime() > time.Now().Unix() {
		return time.Unix(timed.DueTime(), 0)
	}
	return time.Time{}
}
