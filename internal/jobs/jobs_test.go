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

// contacts are enough for several steps of a removal.
const contacts = 1700

// diesAt makes the test binary a process that works the database at its path
// and stands still in the middle of a removal, to be killed there.
const diesAt = "ENLIST_TEST_DIES_AT"

func TestMain(m *testing.M) {
	if path := os.Getenv(diesAt); path != "" {
		standStill(path)
	}
	if path := os.Getenv(postsAt); path != "" {
		postAndStandStill(path)
	}
	if path := os.Getenv(buildsAt); path != "" {
		buildHalfway(path)
	}
	pgtest.Main(m, func() error { return goleak.Find() })
}

// standing is a Store whose third Update tells that it has come and does not
// begin before its caller gives up.
type standing struct {
	audience.Store
	updates int
	come    func()
}

// Update implements audience.Store. One worker calls it, one after another.
func (s *standing) Update(ctx context.Context, fn func(audience.Tx) error) error {
	if s.updates++; s.updates == 3 {
		s.come()
		<-ctx.Done()
	}
	return s.Store.Update(ctx, fn)
}

func standStill(path string) {
	store, err := teststores.Open(context.Background(), path, 0)
	if err != nil {
		panic(err)
	}
	still := &standing{Store: store, come: func() { fmt.Println("here") }}
	config := jobs.Config(jobs.Options{Service: audience.NewService(still, time.Now), Store: still, Log: slog.New(slog.DiscardHandler)})
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

// place is a database with a List of Contacts.
type place struct {
	*testing.T
	path    string
	store   *teststores.Store
	service *audience.Service
	caller  *audience.Caller
	list    audience.ListID
}

func newPlace(t *testing.T, e teststores.Engine) *place {
	t.Helper()
	p := &place{T: t, path: e.New(t)}
	p.open()
	first, err := p.service.Bootstrap(t.Context(), "")
	p.must(err)
	p.list = first.List
	p.caller, err = p.service.Operator(t.Context(), first.Account)
	p.must(err)
	return p
}

func (p *place) open() {
	p.Helper()
	var err error
	p.store, err = teststores.Open(p.Context(), p.path, 0)
	p.must(err)
	p.service = audience.NewService(p.store, time.Now)
	p.service.SetSearchObserver(newAdvisor(p.store))
	p.Cleanup(func() { p.store.Close() })
}

func (p *place) client(config *river.Config) workingClient {
	p.Helper()
	client, err := p.store.Jobs(config)
	p.must(err)
	return client.(workingClient)
}

func (p *place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// fill adds Contacts with a value in a Field.
func (p *place) fill(field audience.FieldID) {
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

func (p *place) enqueue(e audience.Effect) {
	p.Helper()
	p.must(p.store.Update(p.Context(), func(tx audience.Tx) error { return tx.Enqueue(e) }))
}

// left counts the Contacts.
func (p *place) left() (n int64) {
	p.Helper()
	p.must(p.store.View(p.Context(), func(tx audience.Tx) (err error) {
		n, err = tx.ContactCount(p.list)
		return err
	}))
	return n
}

// work starts a client of the queue that looks for jobs often.
func (p *place) work(store audience.Store, change func(*river.Config)) (client workingClient, done <-chan *river.Event) {
	p.Helper()
	config := jobs.Config(jobs.Options{Service: audience.NewService(store, time.Now), Store: store, Indexes: newAdvisor(store), Log: slog.New(slog.DiscardHandler)})
	config.FetchPollInterval = river.FetchCooldownDefault
	config.TestOnly = true // no random wait before the first look for jobs of the dead
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

// wait waits for a job to be completed.
func (p *place) wait(done <-chan *river.Event) {
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

func TestDeletedListIsRemoved(t *testing.T) { teststores.EachParallel(t, deletedListIsRemoved) }

func deletedListIsRemoved(t *testing.T, e teststores.Engine) {
	p := newPlace(t, e)
	p.fill(0)
	p.must(p.service.DeleteList(t.Context(), p.caller, p.list))
	_, done := p.work(p.store, nil)
	p.wait(done)
	p.must(p.store.View(t.Context(), func(tx audience.Tx) error {
		if n, err := tx.AccountContacts(p.caller.Account.ID); n != 0 || err != nil {
			t.Errorf("%d Contacts are left, %v", n, err)
		}
		return nil
	}))
}

func TestDeletedFieldIsForgotten(t *testing.T) { teststores.EachParallel(t, deletedFieldIsForgotten) }

func deletedFieldIsForgotten(t *testing.T, e teststores.Engine) {
	p := newPlace(t, e)
	field, err := p.service.AddField(t.Context(), p.caller, p.list, []audience.Detail{
		{Key: "name", Value: audience.Input{Kind: audience.InputText, Text: "Colour"}},
		{Key: "type", Value: audience.Input{Kind: audience.InputText, Text: "text"}},
	})
	p.must(err)
	p.fill(field)
	p.must(p.service.DeleteField(t.Context(), p.caller, p.list, field))
	_, done := p.work(p.store, nil)
	p.wait(done)
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

// unknown is of a kind that this process has no worker for.
type unknown struct{}

// Kind implements audience.Effect.
func (unknown) Kind() string { return "unknown" }

func TestOtherKindsStayInTheirQueue(t *testing.T) {
	teststores.EachParallel(t, otherKindsStayInTheirQueue)
}

func otherKindsStayInTheirQueue(t *testing.T, e teststores.Engine) {
	p := newPlace(t, e)
	p.enqueue(unknown{})
	p.enqueue(audience.RemoveContacts{List: p.list, Upto: 1})
	client, done := p.work(p.store, nil)
	p.wait(done)
	list, err := client.JobList(t.Context(), river.NewJobListParams().Kinds("unknown"))
	p.must(err)
	if len(list.Jobs) != 1 || list.Jobs[0].State != "available" || list.Jobs[0].Attempt != 0 {
		t.Errorf("unknown jobs: %+v", list.Jobs)
	}
}

// A process that is told to stop puts its job back, and the next one goes on.
func TestStoppedJobGoesOn(t *testing.T) { teststores.EachParallel(t, stoppedJobGoesOn) }

func stoppedJobGoesOn(t *testing.T, e teststores.Engine) {
	p := newPlace(t, e)
	p.fill(0)
	p.enqueue(audience.RemoveContacts{List: p.list, Upto: contacts})
	come := make(chan struct{})
	client, _ := p.work(&standing{Store: p.store, come: func() { close(come) }}, nil)
	<-come
	p.must(client.StopAndCancel(t.Context()))
	if n := p.left(); n == 0 || n == contacts {
		t.Fatalf("%d of %d Contacts are left, want some", n, contacts)
	}
	list, err := client.JobList(t.Context(), river.NewJobListParams().Kinds("remove_contacts"))
	p.must(err)
	if len(list.Jobs) != 1 || list.Jobs[0].State != "available" || list.Jobs[0].Attempt != 0 {
		t.Fatalf("jobs: %+v", list.Jobs[0])
	}
	p.must(p.store.Close())

	p.open()
	_, done := p.work(p.store, nil)
	p.wait(done)
	if n := p.left(); n != 0 {
		t.Errorf("%d Contacts are left", n)
	}
}

// A job whose process was killed is taken up after some minutes.
func TestKilledJobGoesOn(t *testing.T) { teststores.EachParallel(t, killedJobGoesOn) }

func killedJobGoesOn(t *testing.T, e teststores.Engine) {
	p := newPlace(t, e)
	p.fill(0)
	p.enqueue(audience.RemoveContacts{List: p.list, Upto: contacts})
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), diesAt+"="+p.path)
	out, err := cmd.StdoutPipe()
	p.must(err)
	cmd.Stderr = os.Stderr
	p.must(cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "here\n" {
		t.Errorf("got %q, %v", line, err)
	}
	p.must(cmd.Process.Kill())
	cmd.Wait() // says that it was killed
	if n := p.left(); n == 0 || n == contacts {
		t.Fatalf("%d of %d Contacts are left, want some", n, contacts)
	}
	teststores.AgeKilledJobs(t, p.path)
	_, done := p.work(p.store, func(c *river.Config) {
		c.JobTimeout, c.RescueStuckJobsAfter = -1, 2*time.Second // as if minutes had passed; a turn takes less
	})
	p.wait(done)
	if n := p.left(); n != 0 {
		t.Errorf("%d Contacts are left", n)
	}
}
