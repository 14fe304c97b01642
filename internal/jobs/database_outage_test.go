package jobs_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/jobs"
	"enlist/internal/store/pgtest"
	"enlist/internal/store/teststores"

	"github.com/riverqueue/river"
)

// The test in this file runs a PostgreSQL server of its own, to stop and crash it.

// The database server is stopped, then crashes, and starts again both times. The queue recovers
// without a restart of the process and logs one warning.
func TestQueueOutlivesTheServer(t *testing.T) {
	if testing.Short() {
		t.Skip("a test with a server of its own: make faults runs it")
	}
	server, err := pgtest.StartServer()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(server.Remove)
	p := newStoreWithList(t, teststores.Engine{Name: "postgres", New: func(testing.TB) string { return server.URL("postgres") }})
	var log lockedLog
	_, done := p.startWorking(p.store, func(c *river.Config) {
		logged := jobs.Config(jobs.Options{Service: p.service, Store: p.store, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
		c.Logger = logged.Logger
	})
	for _, mode := range []string{"fast", "immediate"} {
		p.enqueue(audience.RemoveContacts{List: p.list, Upto: contacts})
		p.waitForJob(done)
		p.must(server.Stop(mode))
		log.await(t, "level=WARN")
		p.must(server.Start())
	}
	p.enqueue(audience.RemoveContacts{List: p.list, Upto: contacts})
	p.waitForJob(done)
	if text := log.String(); strings.Count(text, "\n") != 1 || strings.Contains(text, "level=ERROR") {
		t.Errorf("the log says:\n%s", text)
	}
}

// await waits until something was logged.
func (l *lockedLog) await(t *testing.T, text string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !strings.Contains(l.String(), text); {
		if time.Now().After(end) {
			t.Fatalf("the log does not say %s:\n%s", text, l.String())
		}
		<-tick.C
	}
}
