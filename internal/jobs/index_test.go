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
	"enlist/internal/indexadvisor"
	"enlist/internal/jobs"
	"enlist/internal/store/teststores"

	"github.com/riverqueue/river"
)

// buildsAt makes the test binary a process that works the database at its path
// and is in the middle of making an index, to be killed there.
const buildsAt = "ENLIST_TEST_BUILDS_AT"

// halfway is a Store whose BuildIndex tells that it has come. On SQLite, where
// nothing is there before all of it is, it goes no further.
type halfway struct{ *teststores.Store }

// BuildIndex implements audience.Store.
func (s halfway) BuildIndex(ctx context.Context, id audience.SearchIndexID, list audience.ListID, k *audience.SearchKey) (int64, error) {
	fmt.Println("here")
	if os.Getenv(buildsAt)[0] == '/' {
		<-ctx.Done()
	}
	return s.Store.BuildIndex(ctx, id, list, k)
}

func newAdvisor(store audience.Store) *indexadvisor.Advisor {
	return indexadvisor.New(store, time.Now, indexadvisor.DefaultRules())
}

func buildHalfway(path string) {
	store, err := teststores.Open(context.Background(), path, 0)
	if err != nil {
		panic(err)
	}
	still := halfway{store}
	config := jobs.Config(jobs.Options{Service: audience.NewService(still, time.Now), Store: still, Indexes: newAdvisor(still), Log: slog.New(slog.DiscardHandler)})
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

// lacking has an index ordered that a search lacked, and returns it.
func (p *place) lacking() indexadvisor.Report {
	p.Helper()
	now := time.Now()
	clock := func() time.Time { now = now.Add(time.Second); return now }
	slow := audience.NewService(p.store, clock)
	rules := indexadvisor.DefaultRules()
	rules.Contacts = contacts / 2
	advisor := indexadvisor.New(p.store, clock, rules)
	slow.SetSearchObserver(advisor)
	active := audience.Criteria{Key: "is_active", Operator: "exactly", Value: audience.Input{Kind: audience.InputTrue}}
	if n, err := slow.CountContacts(p.Context(), p.caller, p.list, &active); err != nil || n != contacts {
		p.Fatalf("counts %d, %v", n, err)
	}
	p.must(advisor.ScheduleBuilds(p.Context()))
	return p.index()
}

func (p *place) index() indexadvisor.Report {
	p.Helper()
	all, err := newAdvisor(p.store).Reports(p.Context())
	p.must(err)
	if len(all) != 1 {
		p.Fatalf("indexes: %+v", all)
	}
	return all[0]
}

func TestIndexIsBuilt(t *testing.T) { teststores.EachParallel(t, indexIsBuilt) }

func indexIsBuilt(t *testing.T, e teststores.Engine) {
	p := newPlace(t, e)
	p.fill(0)
	x := p.lacking()
	_, done := p.work(p.store, nil)
	p.wait(done)
	if x = p.index(); x.State != audience.IndexReady || x.Missing {
		t.Errorf("index %+v", x)
	}
	p.must(p.service.DeleteList(t.Context(), p.caller, p.list))
	p.wait(done)
	p.wait(done)
	if built, err := p.store.BuiltIndexes(t.Context()); err != nil || len(built) > 0 {
		t.Errorf("built %+v, %v", built, err)
	}
}

// A process is killed in the middle of making an index. What it leaves behind is
// found within minutes, and the index made by another.
func TestKilledIndexIsBuilt(t *testing.T) { teststores.EachParallel(t, killedIndexIsBuilt) }

func killedIndexIsBuilt(t *testing.T, e teststores.Engine) {
	p := newPlace(t, e)
	p.fill(0)
	x := p.lacking()
	reading, read := make(chan struct{}), make(chan struct{})
	held := make(chan error)
	go func() { // what is made on PostgreSQL has to wait for this
		held <- p.store.Stream(t.Context(), func(tx audience.Tx) error {
			_, err := tx.ContactCount(p.list)
			close(reading)
			<-read
			return err
		})
	}()
	<-reading
	p.killBuilder()
	close(read)
	p.must(<-held)
	if x = p.index(); x.State != audience.IndexBuilding {
		t.Errorf("index %+v", x)
	}

	// A server may be slow to see that its client is gone: until then it is at the
	// index, and others leave it alone.
	_, done := p.work(p.store, nil)
	for now := time.Now(); p.index().State != audience.IndexReady; {
		now = now.Add(6 * time.Minute)
		p.must(indexadvisor.New(p.store, func() time.Time { return now }, indexadvisor.DefaultRules()).Reconcile(t.Context()))
		p.wait(done)
	}
	if x = p.index(); x.Missing {
		t.Errorf("index %+v", x)
	}
}

// killBuilder starts a process that makes the index, and kills it.
func (p *place) killBuilder() {
	p.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), buildsAt+"="+p.path)
	out, err := cmd.StdoutPipe()
	p.must(err)
	cmd.Stderr = os.Stderr
	p.must(cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "here\n" {
		p.Errorf("got %q, %v", line, err)
	}
	if p.path[0] != '/' {
		p.awaitIndex(func(b audience.BuiltIndex) bool { return !b.Good })
	}
	p.must(cmd.Process.Kill())
	cmd.Wait() // says that it was killed
}

// awaitIndex waits until the database has an index that is as it should be.
func (p *place) awaitIndex(is func(audience.BuiltIndex) bool) {
	p.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		built, err := p.store.BuiltIndexes(p.Context())
		p.must(err)
		if len(built) == 1 && is(built[0]) {
			return
		}
		if time.Now().After(deadline) {
			p.Fatalf("built %+v", built)
		}
	}
}
