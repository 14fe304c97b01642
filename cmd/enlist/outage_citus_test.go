package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/postgres"

	"github.com/jackc/pgx/v5"
)

// This test stops servers of a Citus cluster while clients subscribe.

// clusterControl is the environment variable with the path of a program that the test runs as
//
//	PROGRAM crash|start|freeze|thaw HOST:PORT
//
// HOST:PORT is the address of a server in pg_dist_node. crash stops the server without a checkpoint (pg_ctl -m
// immediate), start starts it and waits until it is ready, freeze sends SIGSTOP to all its processes, and thaw sends
// SIGCONT. The cluster is that of ENLIST_TEST_CITUS. It has at least two workers.
const clusterControl = "ENLIST_TEST_CITUS_CONTROL"

// Clients subscribe to Lists of two workers, while one worker crashes, then the coordinator, and then the worker hangs.
// Calls for Lists of the worker fail with 302, and calls for the Lists of the other worker succeed. When the server is
// back, calls for all Lists succeed again. At the end each Contact whose ID a client received is there.
func TestOutageOfACitusServerLosesNoContact(t *testing.T) {
	db := dbtest.Citus.New(t)
	if os.Getenv(clusterControl) == "" {
		t.Skip("no server of the cluster is stopped: set " + clusterControl + " (cmd/enlist/outage_citus_test.go)")
	}
	c := newCitusOutage(t, db)
	stop := c.subscribe()
	for _, step := range []struct {
		name, begin, end string
		coordinator      bool
	}{
		{"a worker crashes", "crash", "start", false},
		{"the coordinator crashes", "crash", "start", true},
		{"a worker hangs", "freeze", "thaw", false},
	} {
		server, served := c.worker, c.elsewhere
		if step.coordinator {
			server, served = c.coordinator, nil
		}
		c.control(step.begin, server)
		c.until(step.name, served, c.onWorker)
		c.control(step.end, server)
		c.until(step.name+" no longer", append(slices.Clone(c.onWorker), c.elsewhere...), nil)
	}
	stop()
	c.verify()
}

// citusOutage is a service on a cluster. Clients subscribe to four Lists.
type citusOutage struct {
	*outage
	db                  string
	coordinator, worker string  // addresses; the test stops these servers
	onWorker, elsewhere []int64 // two Lists on the worker, and two on other workers

	mu       sync.Mutex
	answered map[int64][]int64 // IDs of the Contacts that the service returned, by List
	refused  map[int64]int     // number of calls that failed, by List
}

// newCitusOutage starts a service whose calls end after 2 s instead of 10 s.
func newCitusOutage(t *testing.T, db string) *citusOutage {
	t.Helper()
	c := &citusOutage{outage: newOutageWith(t, db, postgres.Options{UpdateTime: 2 * time.Second}), db: db,
		answered: make(map[int64][]int64), refused: make(map[int64]int)}
	c.query("SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE groupid = 0", &c.coordinator)
	for len(c.onWorker) < 2 || len(c.elsewhere) < 2 {
		list := must(c.api.AddList(t.Context(), api.Details{"name": "News"}))(t)
		var at string
		c.query(fmt.Sprintf(`SELECT nodename || ':' || nodeport FROM citus_shards
			WHERE shardid = get_shard_id_for_distribution_column('contact', %d)`, list), &at)
		if c.worker == "" {
			c.worker = at
		}
		if at == c.worker && len(c.onWorker) < 2 {
			c.onWorker = append(c.onWorker, list)
		} else if at != c.worker && len(c.elsewhere) < 2 {
			c.elsewhere = append(c.elsewhere, list)
		}
	}
	return c
}

// query reads one value on the coordinator.
func (c *citusOutage) query(query string, value any) {
	c.Helper()
	conn, err := pgx.Connect(c.Context(), c.db)
	if err != nil {
		c.Fatal(err)
	}
	defer conn.Close(c.Context())
	if err := conn.QueryRow(c.Context(), query).Scan(value); err != nil {
		c.Fatal(err)
	}
}

// control runs the program of clusterControl. If the test ends early, the server continues.
func (c *citusOutage) control(action, server string) {
	c.Helper()
	run := func(action string) error {
		out, err := exec.Command(os.Getenv(clusterControl), action, server).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%s %s: %w: %s", action, server, err, out)
		}
		return err
	}
	if err := run(action); err != nil {
		c.Fatal(err)
	}
	if back := map[string]string{"crash": "start", "freeze": "thaw"}[action]; back != "" {
		c.Cleanup(func() {
			if c.Failed() {
				c.Log(run(back)) // an error if the server is running
			}
		})
	}
}

// subscribe starts two clients for each List, and returns a function that ends them.
func (c *citusOutage) subscribe() (stop func()) {
	ctx, cancel := context.WithCancel(c.Context())
	var clients sync.WaitGroup
	for n := range 8 {
		list := append(slices.Clone(c.onWorker), c.elsewhere...)[n%4]
		clients.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				limited, done := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
				id, err := c.api.SubscribeContact(limited, list,
					api.Details{"Email": fmt.Sprintf("a%d.%d@example.com", n, i)}, api.Consent{})
				done()
				c.note(list, id, err)
			}
		})
	}
	return func() {
		cancel()
		clients.Wait()
	}
}

// note records the outcome of a call. The service may answer only with an ID or with the code 302.
func (c *citusOutage) note(list, id int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.answered[list] = append(c.answered[list], id)
		return
	}
	c.refused[list]++
	if refusal, ok := errors.AsType[*api.Error](err); !ok || refusal.Code != api.CodeUndefined {
		c.Errorf("subscribeContact was answered with %v, want an ID or the code 302", err)
	}
}

// until waits until calls have succeeded for each List of served, and have failed for each List of failing.
func (c *citusOutage) until(name string, served, failing []int64) {
	c.Helper()
	began := time.Now()
	served0, failed0 := c.outcomes(served, failing)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		served1, failed1 := c.outcomes(served, failing)
		if above(served1, served0, 10) && above(failed1, failed0, 1) {
			c.Logf("%s: seen after %s", name, time.Since(began).Round(time.Millisecond))
			return
		}
		if time.Since(began) > 2*time.Minute {
			c.Fatalf("%s: after 2 minutes calls for the Lists %v had succeeded %v times, then %v times; "+
				"calls for the Lists %v had failed %v times, then %v times", name, served, served0, served1,
				failing, failed0, failed1)
		}
		<-tick.C
	}
}

// outcomes returns how many calls have succeeded for each List of served, and failed for each List of failing.
func (c *citusOutage) outcomes(served, failing []int64) (succeeded, failed []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, list := range served {
		succeeded = append(succeeded, len(c.answered[list]))
	}
	for _, list := range failing {
		failed = append(failed, c.refused[list])
	}
	return succeeded, failed
}

// above reports whether each number has grown by at least n.
func above(now, before []int, n int) bool {
	for i := range now {
		if now[i] < before[i]+n {
			return false
		}
	}
	return true
}

// verify looks for all Contacts whose IDs the service returned. Citus first ends the transactions that a crash
// interrupted during COMMIT, as it does every minute.
func (c *citusOutage) verify() {
	c.Helper()
	var recovered int
	c.query("SELECT recover_prepared_transactions()", &recovered)
	total := 0
	for list, ids := range c.answered {
		total += len(ids)
		for _, id := range ids {
			if _, err := c.api.GetContactByID(c.Context(), list, id); err != nil {
				c.Errorf("Contact %d of List %d, whose ID a client had received: %v", id, list, err)
			}
			ledger, err := c.api.GetContactConsents(c.Context(), list, id, 0, 0, false)
			if err != nil || len(ledger) != 1 {
				c.Errorf("Contact %d of List %d has %d ledger rows, want 1; error %v", id, list, len(ledger), err)
			}
		}
	}
	c.Logf("%d Contacts are there, and Citus ended %d transactions", total, recovered)
	problems, err := c.store.Check(c.Context())
	problems = slices.DeleteFunc(problems, func(p string) bool { return strings.HasPrefix(p, "the PostgreSQL setting ") })
	if err != nil || len(problems) > 0 {
		c.Errorf("check of the database: %q, error %v", problems, err)
	}
}
