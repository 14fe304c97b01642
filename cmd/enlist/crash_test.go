package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/config"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/jobqueue"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/jobs"

	"github.com/riverqueue/river"
)

// This file has the type crash, with which tests kill the program while clients subscribe.

// crash has a database, whose server the test kills, and the Contacts whose IDs the server returned.
type crash struct {
	t      *testing.T
	db     string
	smtp   string
	key    string
	url    string
	client *api.Client

	mu       sync.Mutex
	answered map[int64]string // first names of the Contacts whose IDs the server returned, by ID
	recent   []int64          // IDs that the server returned in the last round
	killed   int              // number of killed processes; only the test of Batches counts them
}

func newCrash(t *testing.T, e dbtest.Engine, smtp string) *crash {
	target := e.New(t)
	setSettings(t, target, map[string]string{"mail-from": "news@example.com"})
	return newCrashAt(t, target, smtp)
}

// newCrashAt is newCrash for an existing database.
func newCrashAt(t *testing.T, target, smtp string) *crash {
	return &crash{t: t, db: target, smtp: smtp, key: strings.Repeat("c", 64), answered: make(map[int64]string)}
}

// process is a running server.
type process struct {
	cmd    *exec.Cmd
	url    string
	client *api.Client
}

// end sends a signal and waits until the process has ended. Its status does not matter.
func (p *process) end(signal os.Signal) {
	p.cmd.Process.Signal(signal)
	p.cmd.Wait()
	p.client.Close()
}

// start starts the program and returns a function that kills the program.
func (c *crash) start() (kill func()) {
	c.t.Helper()
	p := c.process()
	c.url, c.client = p.url, p.client
	return func() { p.end(os.Kill) }
}

// process starts the program and returns its process.
func (c *crash) process() *process {
	c.t.Helper()
	cmd := exec.Command("enlist", "serve", "--db", c.db, "--listen", "127.0.0.1:0", "--ops-listen", "none",
		"--smtp", c.smtp, "--webhook-private")
	cmd.Env = append(cmd.Environ(), "ENLIST_BOOTSTRAP_KEY="+c.key)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	greeting := make([]byte, 4096)
	n, _ := stdout.Read(greeting)
	found := greetingURL.FindSubmatch(greeting[:n])
	if found == nil {
		cmd.Process.Kill()
		c.t.Fatalf("the program printed %q: %v", greeting[:n], cmd.Wait())
	}
	url := string(found[1])
	return &process{cmd, url, api.NewClient(url, c.key)}
}

// notifyOwner makes each subscription send a notification.
func (c *crash) notifyOwner() {
	_, err := c.client.EditList(c.t.Context(), api.Details{"id": 1, "on_register_address": "owner@example.com"})
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.client.AddField(c.t.Context(), 1, api.Details{"name": "First Name", "type": "text"}); err != nil {
		c.t.Fatal(err)
	}
}

// subscribe starts 16 clients that subscribe, and returns while their calls run. The
// test then kills the program.
func (c *crash) subscribe(round int, during time.Duration) {
	ctx, cancel := context.WithTimeout(c.t.Context(), during)
	defer cancel()
	c.recent = c.recent[:0]
	for n := range 16 {
		go func() { // ends when a call fails, because the server was killed
			for i := range 100_000 {
				name := fmt.Sprintf("Ada %d.%d.%d", round, n, i)
				details := api.Details{"Email": strings.ReplaceAll(name, " ", ".") + "@example.com", "First Name": name}
				id, err := c.client.SubscribeContact(context.Background(), 1, details, api.Consent{Type: api.ConsentDirect, Text: name})
				if err != nil {
					return
				}
				c.mu.Lock()
				c.answered[id] = name
				c.recent = append(c.recent, id)
				c.mu.Unlock()
			}
		}()
	}
	<-ctx.Done()
}

// verify checks that the program returns each answered Contact with its values and consent.
func (c *crash) verify(ids []int64) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		contact, err := c.client.GetContactByID(c.t.Context(), 1, id)
		if err != nil {
			c.t.Errorf("Contact %d, whose ID the server had returned: %v", id, err)
			continue
		}
		if got := contact.Values["First Name"]; got != c.answered[id] {
			c.t.Errorf("Contact %d has the name %q, want %q", id, got, c.answered[id])
		}
		consents, err := c.client.GetContactConsents(c.t.Context(), 1, id, 0, 0, false)
		if err != nil || len(consents) != 1 || consents[0].ConsentText != c.answered[id] {
			c.t.Errorf("Contact %d has the ledger rows %+v, error %v; want one row with its text", id, consents, err)
		}
	}
}

// open opens the database in this process.
func (c *crash) open() *database {
	c.t.Helper()
	store, err := openDatabase(c.t.Context(), config.Serve{Database: config.Database{DB: c.db}}, false, nil, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return store
}

// inspect reads the database. Each stored Contact must have one ledger row and one
// notification, also if no client received its ID. The Contact counts must be right.
func (c *crash) inspect() {
	ctx, store := c.t.Context(), c.open()
	defer store.Close()
	c.check(store)
	queued := c.notifications(store)
	stored := 0
	err := store.View(ctx, func(tx *db.Tx) error {
		last, err := contacts.LastContactID(tx, 1)
		for id := enlist.ContactID(1); id <= last && err == nil; id++ {
			if _, err := contacts.ByID(tx, 1, id); err != nil {
				continue // the ID of an insert that was rolled back
			}
			stored++
			var rows []enlist.LedgerRow
			rows, err = contacts.LedgerRows(tx, 1, id, 0, 0)
			if len(rows) != 1 || queued[id] != 1 {
				c.t.Errorf("Contact %d has %d ledger rows and %d notifications, want one of each", id, len(rows), queued[id])
			}
		}
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	if stored < len(c.answered) || len(queued) != stored {
		c.t.Errorf("%d Contacts are stored, %d have notifications, and the server had returned %d IDs",
			stored, len(queued), len(c.answered))
	}
}

// check runs the checks of enlist doctor. It ignores problems with the settings of
// PostgreSQL: the server that the tests share runs without fsync, to be faster.
func (c *crash) check(store *database) {
	c.t.Helper()
	problems, err := store.check(c.t.Context())
	problems = slices.DeleteFunc(problems, func(p string) bool { return strings.HasPrefix(p, "the PostgreSQL setting ") })
	if err != nil || len(problems) > 0 {
		c.t.Errorf("check of the database: %q, error %v", problems, err)
	}
	queue := must(store.jobs(&jobqueue.Config{}))(c.t)
	if failed, err := jobs.Failures(c.t.Context(), queue); err != nil || len(failed) > 0 {
		c.t.Errorf("failed jobs: %+v, error %v", failed, err)
	}
}

// notifications counts the queued notifications of each Contact.
func (c *crash) notifications(store *database) map[enlist.ContactID]int {
	client, err := store.jobs(&jobqueue.Config{})
	if err != nil {
		c.t.Fatal(err)
	}
	count := make(map[enlist.ContactID]int)
	all := func() *river.JobListParams { return river.NewJobListParams().Kinds("notify").First(1000) }
	for params := all(); ; {
		page, err := client.JobList(c.t.Context(), params)
		if err != nil {
			c.t.Fatal(err)
		}
		for _, job := range page.Jobs {
			var n events.Notify
			if err := json.Unmarshal(job.EncodedArgs, &n); err != nil {
				c.t.Fatal(err)
			}
			count[n.Contact]++
		}
		if len(page.Jobs) < 1000 {
			return count
		}
		params = all().After(page.LastCursor) // JobList changes its params, so the next page needs new params
	}
}
