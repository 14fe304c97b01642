package jobs_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/jobqueue"
	"enlist/internal/enlist"
	"enlist/internal/jobs"
	"enlist/internal/search/advisor"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.uber.org/goleak"
)

// This file has the fixtures that the tests of this package share: a database with one List, and a
// client of the queue library that runs its jobs.

// contactsOfTest is the number of Contacts that addContacts adds. It is so large that a removal of all
// Contacts needs several steps.
const contactsOfTest = 1700

func TestMain(m *testing.M) {
	if point := os.Getenv(hangAt); point != "" {
		workUntilKilled(point, os.Getenv(hangDatabase))
	}
	dbtest.Main(m, func() error { return goleak.Find() })
}

// library has the methods of the library's client that tests call and jobqueue.Library has not.
type library interface {
	Insert(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) (*rivertype.JobInsertResult, error)
	JobCancel(ctx context.Context, id int64) (*rivertype.JobRow, error)
	JobGet(ctx context.Context, id int64) (*rivertype.JobRow, error)
}

// storeWithList is a SQLite or PostgreSQL database with an Account and one List. Its methods fail
// the test after an error.
type storeWithList struct {
	*testing.T
	store   *dbtest.Store
	service *app.App
	caller  *enlist.Caller
	list    enlist.ListID
}

// newStoreWithList returns a database whose List is empty. Other tests use the store before and afterwards.
func newStoreWithList(t *testing.T, e dbtest.Engine) *storeWithList {
	t.Helper()
	p := &storeWithList{T: t}
	p.use(e.Own(t))
	p.bootstrap()
	return p
}

// newStoreOfProcesses is newStoreWithList for a test that closes the store, or kills another process that uses it.
func newStoreOfProcesses(t *testing.T, e dbtest.Engine) *storeWithList {
	t.Helper()
	p := &storeWithList{T: t}
	p.open(e.New(t))
	p.bootstrap()
	return p
}

// open opens the database at an address. A test calls it again after it has closed the database.
func (p *storeWithList) open(address string) {
	p.Helper()
	store, err := dbtest.Open(p.Context(), address, 0)
	p.must(err)
	p.Cleanup(func() { store.Close() })
	p.use(store)
}

// use makes the service use an open store.
func (p *storeWithList) use(store *dbtest.Store) {
	p.store, p.service = store, app.New(store, time.Now)
}

// bootstrap adds the Account and its List.
func (p *storeWithList) bootstrap() {
	p.Helper()
	first, err := p.service.Bootstrap(p.Context(), "")
	p.must(err)
	p.list = first.List
	p.caller, err = p.service.Accounts.Operator(p.Context(), first.Account)
	p.must(err)
}

// client returns a queue client that is not started.
func (p *storeWithList) client(config *jobqueue.Config) *jobqueue.Client {
	p.Helper()
	client, err := p.store.Jobs(config)
	p.must(err)
	return client
}

// must fails the test on an error.
func (p *storeWithList) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// addContacts adds as many Contacts as the constant contacts says, each with a value of the Field.
func (p *storeWithList) addContacts(field enlist.FieldID) {
	p.Helper()
	p.must(p.store.Update(p.Context(), func(tx *db.Tx) error {
		for i := range contactsOfTest {
			c := enlist.Contact{ListID: p.list, Key: fmt.Sprintf("a%d@example.com", i), IsFirst: true, IsActive: true, SubscribedVia: "api"}
			c.Values = c.Values.Set(field, "value")
			if _, err := contacts.Insert(tx, &c); err != nil {
				return err
			}
		}
		return nil
	}))
}

// enqueue stores a job.
func (p *storeWithList) enqueue(e db.Effect) {
	p.Helper()
	p.must(p.store.Update(p.Context(), func(tx *db.Tx) error { return tx.Enqueue(e) }))
}

// contactCount returns the number of Contacts of the List.
func (p *storeWithList) contactCount() (n int64) {
	p.Helper()
	p.must(p.store.View(p.Context(), func(tx *db.Tx) (err error) {
		n, err = tx.ContactCount(p.list)
		return err
	}))
	return n
}

// start starts a queue client. start also returns a channel with the job results of the given kinds. Options that are
// not set get the values of the fixture.
func (p *storeWithList) start(o jobs.Options, change func(*jobqueue.Config),
	kinds ...jobqueue.Kind) (*jobqueue.Client, <-chan jobqueue.Event) {
	p.Helper()
	if o.Store == nil {
		o.Store = p.store
	}
	if o.Service == nil {
		o.Service = p.service
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	config := jobs.Config(o)
	results := resultsOf(config, kinds...)
	if change != nil {
		change(config)
	}
	client := p.client(config)
	client.Start(p.Context())
	p.Cleanup(func() { client.StopAndCancel(context.Background()) })
	return client, results
}

// resultsOf returns a channel with the job results of the given kinds.
func resultsOf(config *jobqueue.Config, kinds ...jobqueue.Kind) <-chan jobqueue.Event {
	results := make(chan jobqueue.Event, 1000)
	config.Ended = func(e jobqueue.Event) {
		if slices.Contains(kinds, e.Kind) {
			results <- e
		}
	}
	return results
}

// startWorking starts a queue client that changes Lists.
func (p *storeWithList) startWorking(store db.Engine, change func(*jobqueue.Config)) (*jobqueue.Client, <-chan jobqueue.Event) {
	p.Helper()
	return p.start(jobs.Options{Service: app.New(store, time.Now), Store: store},
		change, jobqueue.Completed, jobqueue.Failed)
}

// next returns the next result of a job. It fails the test if no job ends within a minute.
func (p *storeWithList) next(results <-chan jobqueue.Event) jobqueue.Event {
	p.Helper()
	select {
	case e := <-results:
		return e
	case <-time.After(time.Minute):
		p.Fatal("no job ended within a minute")
		return jobqueue.Event{}
	}
}

// waitForJob waits for a job to be completed.
func (p *storeWithList) waitForJob(done <-chan jobqueue.Event) {
	p.Helper()
	if e := p.next(done); e.Kind != jobqueue.Completed {
		p.Fatalf("the job ended with %s: %v, want it completed", e.Kind, e.Job.Errors)
	}
}

// minutesPassed changes a configuration so that the queue retries jobs of dead processes at once.
// Without this change the queue waits for minutes.
func minutesPassed(c *jobqueue.Config) { c.Timeout, c.RescueAfter = 0, 2*time.Second }

func newAdvisor(store db.Engine) *advisor.Advisor {
	return advisor.New(store, time.Now, advisor.DefaultRules(func() int { return 1 }))
}

func detail(key, text string) enlist.Detail {
	return enlist.Detail{Key: key, Value: enlist.Input{Kind: enlist.InputText, Text: text}}
}

// subscribe subscribes an address to the List.
func (p *storeWithList) subscribe(email string) enlist.ContactID {
	p.Helper()
	id, err := p.service.Contacts.Subscribe(p.Context(), p.caller,
		contacts.SubscribeRequest{List: p.list, Details: []enlist.Detail{detail("Email", email)}})
	p.must(err)
	return id
}
