package jobs_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/jobqueue"
	"enlist/internal/db/pgtest"
	"enlist/internal/jobs"
)

// The test in this file runs its own PostgreSQL server, which it stops and crashes.

// The test stops PostgreSQL and starts it again. Then the test crashes PostgreSQL and starts it
// again. The queue recovers both times without a restart of the process, and logs one warning in
// total.
func TestQueueRecoversAfterDatabaseOutages(t *testing.T) {
	if testing.Short() {
		t.Skip("needs its own PostgreSQL server: run it with \"make faults\"")
	}
	server, err := pgtest.StartServer()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(server.Remove)
	p := newStoreWithList(t, dbtest.Engine{Name: "postgres", New: func(testing.TB) string { return server.URL("postgres") }})
	log := newLogFile(t)
	_, done := p.start(jobs.Options{Log: log.logger(slog.LevelWarn)}, nil, jobqueue.Completed, jobqueue.Failed)
	for _, mode := range []string{"fast", "immediate"} {
		p.enqueue(contacts.RemoveContacts{List: p.list, Upto: contactsOfTest})
		p.waitForJob(done)
		p.must(server.Stop(mode))
		log.await("level=WARN")
		p.must(server.Start())
	}
	p.enqueue(contacts.RemoveContacts{List: p.list, Upto: contactsOfTest})
	p.waitForJob(done)
	if text := log.text(); strings.Count(text, "\n") != 1 || strings.Contains(text, "level=ERROR") {
		t.Errorf("the log is:\n%s\nwant one warning and no error", text)
	}
}

// await waits until the log has a text. A queue without jobs looks into its database once a minute.
func (l *logFile) await(text string) {
	l.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(5 * time.Minute); !strings.Contains(l.text(), text); {
		if time.Now().After(end) {
			l.Fatalf("the log is:\n%s\nwant %q in it", l.text(), text)
		}
		<-tick.C
	}
}
