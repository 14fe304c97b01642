package postgres

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"enlist/internal/db/pgtest"
)

// The tests in this file use servers that have not started yet or that do not answer.

// logged is a log writer that sends each line to a channel.
type logged chan string

func (l logged) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// A service that starts before its PostgreSQL server waits for the server, and logs once
// that it waits.
func TestServerIsWaitedForWhenOpened(t *testing.T) {
	server := server(t)
	if err := server.Stop("fast"); err != nil {
		t.Fatal(err)
	}
	lines := make(logged, 100)
	o := Options{WaitForServer: time.Minute, Log: slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	type opened struct {
		store *Store
		err   error
	}
	came := make(chan opened)
	go func() {
		s, err := Open(context.WithoutCancel(t.Context()), server.URL("postgres"), o)
		came <- opened{s, err}
	}()
	if line := <-lines; !strings.Contains(line, "waiting for it") {
		t.Errorf("logged %s, want a line that says that Open waits", line)
	}
	if err := server.Start(); err != nil {
		t.Error(err)
	}
	result := <-came
	if result.err != nil {
		t.Fatal(result.err)
	}
	defer result.store.Close()
	if err := result.store.Ready(t.Context()); err != nil || len(lines) > 0 {
		t.Errorf("Ready: error %v; %d more lines in the log, want 0", err, len(lines))
	}
}

// Open stops waiting at its time limit and at the end of its context. It does not wait if
// the server answers with an error.
func TestOpenStopsWaiting(t *testing.T) {
	gone := "postgres:///enlist?user=enlist&host=" + t.TempDir()
	_, err := Open(t.Context(), gone, Options{WaitForServer: time.Millisecond})
	if _, unreachable := errors.AsType[*connectFailed](err); !unreachable {
		t.Errorf("a server that does not exist: error %v, want a connectFailed", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, gone, Options{WaitForServer: time.Hour}); err == nil {
		t.Error("Open returned no error although its context has ended")
	}
	url := strings.Replace(database(t), "/enlist_test", "/missing_enlist_test", 1)
	if _, err := Open(t.Context(), url, Options{WaitForServer: time.Hour}); err == nil {
		t.Error("Open returned no error although the database does not exist")
	}
}

// The contexts of the queue's statements have no time limit. Such a statement still fails
// if the server stops responding.
func TestQueueStatementsHaveATimeLimit(t *testing.T) {
	url := database(t)
	p := pgtest.NewProxy(t, url)
	config, err := parse(p.URL(url))
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig.Tracer = statementLimit(100 * time.Millisecond)
	pool, err := newPool(t.Context(), config, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	works := func() bool { _, err := pool.Exec(t.Context(), "SELECT 1"); return err == nil }
	waitFor(t, works) // a busy machine may need more than 100 ms
	p.FallSilent()
	if _, err := pool.Exec(t.Context(), "SELECT 1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server that does not answer: error %v, want DeadlineExceeded", err)
	}
	p.Talk()
	waitFor(t, works)
}
