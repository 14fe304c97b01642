package jobs_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/jobs"
	"enlist/internal/store/pgtest"
	"enlist/internal/store/teststores"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.uber.org/goleak"
)

// The tests in this file run long work on a List: to its end, stopped, and in a process that is
// killed. The fixtures for all tests of the package are here too. Every test runs on each engine.

// contacts is the size of the List in these tests: a removal takes several steps.
const contacts = 1700

// hangInRemovalAt is an environment variable. With a database's path in it, the test binary is
// a process that works the queue and hangs in the middle of a removal, to be killed there.
const hangInRemovalAt = "ENLIST_TEST_HANG_IN_REMOVAL"

func TestMain(m *testing.M) {
	if path := os.Getenv(hangInRemovalAt); path != "" {
		removeAndHang(path)
	}
	if path := os.Getenv(hangAfterPostAt); path != "" {
		postAndHang(path)
	}
	if path := os.Getenv(hangInBuildAt); path != "" {
		buildAndHang(path)
	}
	pgtest.Main(m, func() error { return goleak.Find() })
}

// hangingStore is a Store whose third Update calls reached, and then waits until its context
// ends.
type hangingStore struct {
	audience.Store
	updates int
	reached func()
}

// Update implements audience.Store. One worker calls it, one after another.
func (s *hangingStore) Update(ctx context.Context, fn func(audience.Tx) error, hint ...audience.InsertsContact) error {
	if s.updates++; s.updates == 3 {
		s.reached()
		<-ctx.Done()
	}
	return s.Store.Update(ctx, fn, hint...)
}

// removeAndHang works the queue until the process is killed.
func removeAndHang(path string) {
	store, err := teststores.Open(context.Background(), path, 0)
	if err != nil {
		panic(err)
	}
	hanging := &hangingStore{Store: store, reached: func() { fmt.Println("here") }}
	config := jobs.Config(jobs.Options{Service: audience.NewService(hanging, time.Now), Store: hanging, Log: slog.New(slog.DiscardHandler)})
	config.FetchPollInterval = river.FetchCooldownDefault
	client, err := store.Jobs(config)
	if err != nil {
		panic(err)
	}
	if err := client.Start(context.Background()); err != nil {
		panic(err)
	}
	select {}
}

// workingClient is a client of the queue, of either engine.
type workingClient interface {
	jobs.Client
	Subscribe(kinds ...river.EventKind) (<-chan *river.Event, func())
	Insert(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) (*rivertype.JobInsertResult, error)
	JobCancel(ctx context.Context, id int64) (*rivertype.JobRow, error)
	JobGet(ctx context.Context, id int64) (*rivertype.JobRow, error)
}

// storeWithList is a database with an Account and one List, on one engine. Its methods fail the
// test on an error.
type storeWithList struct {
	*testing.T
	path    string
	store   *teststores.Store
	service *audience.Service
	caller  *audience.Caller
	list    audience.ListID
}

// newStoreWithList makes the database; the List is empty.
func newStoreWithList(t *testing.T, e teststores.Engine) *storeWithList {
	t.Helper()
	p := &storeWithList{T: t, path: e.New(t)}
	p.open()
	first, err := p.service.Bootstrap(t.Context(), "")
	p.must(err)
	p.list = first.List
	p.caller, err = p.service.Operator(t.Context(), first.Account)
	p.must(err)
	return p
}

// open opens the database, again after a test has closed it.
func (p *storeWithList) open() {
	p.Helper()
	var err error
	p.store, err = teststores.Open(p.Context(), p.path, 0)
	p.must(err)
	p.service = audience.NewService(p.store, time.Now)
	p.service.SetSearchObserver(newAdvisor(p.store))
	p.Cleanup(func() { p.store.Close() })
}

// client returns a client of the queue that is not started.
func (p *storeWithList) client(config *river.Config) workingClient {
	p.Helper()
	client, err := p.store.Jobs(config)
	p.must(err)
	return client.(workingClient)
}

// must fails the test on an error.
func (p *storeWithList) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// addContacts adds Contacts with a value in a Field.
func (p *storeWithList) addContacts(field audience.FieldID) {
	p.Helper()
	p.must(p.store.Update(p.Context(), func(tx audience.Tx) error {
		for i := range contacts {
			c := audience.Contact{ListID: p.list, Key: fmt.Sprintf("a%d@example.com", i), IsFirst: true, IsActive: true, SubscribedVia: "api"}
			c.Values = c.Values.Set(field, "value")
			if _, err := tx.InsertContact(&c); err != nil {
				return err
			}
		}
		return nil
	}))
}

// enqueue stores a job.
func (p *storeWithList) enqueue(e audience.Effect) {
	p.Helper()
	p.must(p.store.Update(p.Context(), func(tx audience.Tx) error { return tx.Enqueue(e) }))
}

// contactCount counts the Contacts.
func (p *storeWithList) contactCount() (n int64) {
	p.Helper()
	p.must(p.store.View(p.Context(), func(tx audience.Tx) (err error) {
		n, err = tx.ContactCount(p.list)
		return err
	}))
	return n
}

// startWorking starts a client of the queue that looks for jobs often.
func (p *storeWithList) startWorking(store audience.Store, change func(*river.Config)) (client workingClient, done <-chan *river.Event) {
	p.Helper()
	config := jobs.Config(jobs.Options{Service: audience.NewService(store, time.Now), Store: store, Indexes: newAdvisor(store), Log: slog.New(slog.DiscardHandler)})
	config.FetchPollInterval = river.FetchCooldownDefault
	config.TestOnly = true // no random wait before jobs of dead processes are retried
	if change != nil {
		change(config)
	}
	client = p.client(config)
	done, cancel := client.Subscribe(river.EventKindJobCompleted, river.EventKindJobFailed)
	p.Cleanup(cancel)
	p.must(client.Start(p.Context()))
	p.Cleanup(func() { client.StopAndCancel(context.Background()) })
	return client, done
}

// waitForJob waits for a job to be completed.
func (p *storeWithList) waitForJob(done <-chan *river.Event) {
	p.Helper()
	select {
	case e := <-done:
		if e.Kind != river.EventKindJobCompleted {
			p.Fatalf("job: %s: %v", e.Kind, e.Job.Errors)
		}
	case <-time.After(time.Minute):
		p.Fatal("no job was completed")
	}
}

func TestContactsOfADeletedListAreRemoved(t *testing.T) {
	teststores.EachParallel(t, contactsOfADeletedListAreRemoved)
}

func contactsOfADeletedListAreRemoved(t *testing.T, e teststores.Engine) {
	p := newStoreWithList(t, e)
	p.addContacts(0)
	p.must(p.service.DeleteList(t.Context(), p.caller, p.list))
	_, done := p.startWorking(p.store, nil)
	p.waitForJob(done)
	p.must(p.store.View(t.Context(), func(tx audience.Tx) error {
		if n, err := tx.AccountContacts(p.caller.Account.ID); n != 0 || err != nil {
			t.Errorf("%d Contacts are left, %v", n, err)
		}
		return nil
	}))
}

func TestValuesOfADeletedFieldAreRemoved(t *testing.T) {
	teststores.EachParallel(t, valuesOfADeletedFieldAreRemoved)
}

func valuesOfADeletedFieldAreRemoved(t *testing.T, e teststores.Engine) {
	p := newStoreWithList(t, e)
	field, err := p.service.AddField(t.Context(), p.caller, p.list, []audience.Detail{
		{Key: "name", Value: audience.Input{Kind: audience.InputText, Text: "Colour"}},
		{Key: "type", Value: audience.Input{Kind: audience.InputText, Text: "text"}},
	})
	p.must(err)
	p.addContacts(field)
	p.must(p.service.DeleteField(t.Context(), p.caller, p.list, field))
	_, done := p.startWorking(p.store, nil)
	p.waitForJob(done)
	for id := range audience.ContactID(contacts) {
		p.must(p.store.View(t.Context(), func(tx audience.Tx) error {
			c, err := tx.Contact(p.list, id+1)
			if err == nil && c.Values.Get(field) != "" {
				t.Errorf("Contact %d still holds %q", c.ID, c.Values.Get(field))
			}
			return err
		}))
	}
}

// unknown is an effect of a kind without a worker.
type unknown struct{}

// Kind implements audience.Effect.
func (unknown) Kind() string { return "unknown" }

func TestJobsWithoutAWorkerStayInTheirQueue(t *testing.T) {
	teststores.EachParallel(t, jobsWithoutAWorkerStayInTheirQueue)
}

func jobsWithoutAWorkerStayInTheirQueue(t *testing.T, e teststores.Engine) {
	p := newStoreWithList(t, e)
	p.enqueue(unknown{})
	p.enqueue(audience.RemoveContacts{List: p.list, Upto: 1})
	client, done := p.startWorking(p.store, nil)
	p.waitForJob(done)
	list, err := client.JobList(t.Context(), river.NewJobListParams().Kinds("unknown"))
	p.must(err)
	if len(list.Jobs) != 1 || list.Jobs[0].State != "available" || list.Jobs[0].Attempt != 0 {
		t.Errorf("unknown jobs: %+v", list.Jobs)
	}
}

// A process that is stopped puts its job back, and the next process continues it.
func TestStoppedJobIsContinuedByTheNextProcess(t *testing.T) {
	teststores.EachParallel(t, stoppedJobIsContinuedByTheNextProcess)
}

func stoppedJobIsContinuedByTheNextProcess(t *testing.T, e teststores.Engine) {
	p := newStoreWithList(t, e)
	p.addContacts(0)
	p.enqueue(audience.RemoveContacts{List: p.list, Upto: contacts})
	reached := make(chan struct{})
	client, _ := p.startWorking(&hangingStore{Store: p.store, reached: func() { close(reached) }}, nil)
	<-reached
	p.must(client.StopAndCancel(t.Context()))
	if n := p.contactCount(); n == 0 || n == contacts {
		t.Fatalf("%d of %d Contacts are left, want some", n, contacts)
	}
	list, err := client.JobList(t.Context(), river.NewJobListParams().Kinds("remove_contacts"))
	p.must(err)
	if len(list.Jobs) != 1 || list.Jobs[0].State != "available" || list.Jobs[0].Attempt != 0 {
		t.Fatalf("jobs: %+v", list.Jobs[0])
	}
	p.must(p.store.Close())

	p.open()
	_, done := p.startWorking(p.store, nil)
	p.waitForJob(done)
	if n := p.contactCount(); n != 0 {
		t.Errorf("%d Contacts are left", n)
	}
}

// A job whose process was killed is retried after some minutes.
func TestJobOfAKilledProcessIsContinued(t *testing.T) {
	teststores.EachParallel(t, jobOfAKilledProcessIsContinued)
}

func jobOfAKilledProcessIsContinued(t *testing.T, e teststores.Engine) {
	p := newStoreWithList(t, e)
	p.addContacts(0)
	p.enqueue(audience.RemoveContacts{List: p.list, Upto: contacts})
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), hangInRemovalAt+"="+p.path)
	out, err := cmd.StdoutPipe()
	p.must(err)
	cmd.Stderr = os.Stderr
	p.must(cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "here\n" {
		t.Errorf("got %q, %v", line, err)
	}
	p.must(cmd.Process.Kill())
	cmd.Wait() // says that it was killed
	if n := p.contactCount(); n == 0 || n == contacts {
		t.Fatalf("%d of %d Contacts are left, want some", n, contacts)
	}
	teststores.AgeKilledJobs(t, p.path)
	_, done := p.startWorking(p.store, func(c *river.Config) {
		c.JobTimeout, c.RescueStuckJobsAfter = -1, 2*time.Second // as if minutes had passed
	})
	p.waitForJob(done)
	if n := p.contactCount(); n != 0 {
		t.Errorf("%d Contacts are left", n)
	}
}
