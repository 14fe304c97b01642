package jobs_test

import (
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"

	"github.com/riverqueue/river"
)

// The tests in this file run long changes of a List: to the end, in a process that is stopped, and in
// a process that is killed. Each test runs on SQLite and on PostgreSQL.

func TestContactsOfADeletedListAreRemoved(t *testing.T) {
	dbtest.EachParallel(t, contactsOfADeletedListAreRemoved)
}

func contactsOfADeletedListAreRemoved(t *testing.T, e dbtest.Engine) {
	p := newStoreWithList(t, e)
	p.addContacts(0)
	p.must(p.service.Contacts.DeleteList(t.Context(), p.caller, p.list))
	_, done := p.startWorking(p.store, nil)
	p.waitForJob(done)
	p.must(p.store.View(t.Context(), func(tx *db.Tx) error {
		if n, err := tx.AccountContacts(p.caller.Account.ID); n != 0 || err != nil {
			t.Errorf("%d Contacts are left, %v, want 0", n, err)
		}
		return nil
	}))
}

func TestValuesOfADeletedFieldAreRemoved(t *testing.T) {
	dbtest.EachParallel(t, valuesOfADeletedFieldAreRemoved)
}

func valuesOfADeletedFieldAreRemoved(t *testing.T, e dbtest.Engine) {
	p := newStoreWithList(t, e)
	field, err := p.service.Lists.AddField(t.Context(), p.caller, p.list, []enlist.Detail{detail("name", "Colour"), detail("type", "text")})
	p.must(err)
	p.addContacts(field)
	p.must(p.service.Lists.DeleteField(t.Context(), p.caller, p.list, field))
	_, done := p.startWorking(p.store, nil)
	p.waitForJob(done)
	p.must(p.store.View(t.Context(), func(tx *db.Tx) error {
		for id := range enlist.ContactID(contactsOfTest) {
			c, err := contacts.ByID(tx, p.list, id+1)
			if err != nil {
				return err
			}
			if c.Values.Get(field) != "" {
				t.Errorf("Contact %d still has the value %q", c.ID, c.Values.Get(field))
			}
		}
		return nil
	}))
}

// unknown is an effect for which no process has a worker.
type unknown struct{}

// Kind implements db.Effect.
func (unknown) Kind() string { return "unknown" }

func TestJobsWithoutAWorkerStayInTheirQueue(t *testing.T) {
	dbtest.EachParallel(t, jobsWithoutAWorkerStayInTheirQueue)
}

func jobsWithoutAWorkerStayInTheirQueue(t *testing.T, e dbtest.Engine) {
	p := newStoreWithList(t, e)
	p.enqueue(unknown{})
	p.enqueue(contacts.RemoveContacts{List: p.list, Upto: 1})
	client, done := p.startWorking(p.store, nil)
	p.waitForJob(done)
	list, err := client.JobList(t.Context(), river.NewJobListParams().Kinds("unknown"))
	p.must(err)
	if len(list.Jobs) != 1 || list.Jobs[0].State != "available" || list.Jobs[0].Attempt != 0 {
		t.Errorf("the jobs of the kind unknown are %+v, want one that is available after 0 attempts", list.Jobs)
	}
}

// A process that stops puts its job back into the queue, and the next process continues the job.
func TestStoppedJobIsContinuedByTheNextProcess(t *testing.T) {
	dbtest.EachParallel(t, stoppedJobIsContinuedByTheNextProcess)
}

func stoppedJobIsContinuedByTheNextProcess(t *testing.T, e dbtest.Engine) {
	p := newStoreOfProcesses(t, e)
	p.addContacts(0)
	p.enqueue(contacts.RemoveContacts{List: p.list, Upto: contactsOfTest})
	reached := make(chan struct{})
	client, _ := p.startWorking(&hangingStore{Engine: p.store, reached: func() { close(reached) }}, nil)
	<-reached
	p.must(client.StopAndCancel(t.Context()))
	if n := p.contactCount(); n == 0 || n == contactsOfTest {
		t.Fatalf("%d of %d Contacts are left, want more than 0 and not all", n, contactsOfTest)
	}
	list, err := client.JobList(t.Context(), river.NewJobListParams().Kinds("remove_contacts"))
	p.must(err)
	if len(list.Jobs) != 1 || list.Jobs[0].State != "available" || list.Jobs[0].Attempt != 0 {
		t.Fatalf("the jobs are %+v, want one that is available after 0 attempts", list.Jobs)
	}
	p.must(p.store.Close())

	p.open(p.store.Address())
	_, done := p.startWorking(p.store, nil)
	p.waitForJob(done)
	if n := p.contactCount(); n != 0 {
		t.Errorf("%d Contacts are left, want 0", n)
	}
}

// A job whose process was killed goes back to its queue at once, and starts after db.StopTime. It continues the change
// of the List. Otherwise it would wait for two minutes.
func TestJobOfAKilledProcessIsContinued(t *testing.T) {
	dbtest.EachParallel(t, jobOfAKilledProcessIsContinued)
}

func jobOfAKilledProcessIsContinued(t *testing.T, e dbtest.Engine) {
	if testing.Short() {
		t.Skip("this test kills processes: run it with \"make faults\"")
	}
	p := newStoreOfProcesses(t, e)
	p.addContacts(0)
	p.enqueue(contacts.RemoveContacts{List: p.list, Upto: contactsOfTest})
	p.killAt(inRemoval, func() {})
	if n := p.contactCount(); n == 0 || n == contactsOfTest {
		t.Fatalf("%d of %d Contacts are left, want more than 0 and not all", n, contactsOfTest)
	}
	_, done := p.startWorking(p.store, nil)
	p.waitForJob(done)
	if n := p.contactCount(); n != 0 {
		t.Errorf("%d Contacts are left, want 0", n)
	}
}
