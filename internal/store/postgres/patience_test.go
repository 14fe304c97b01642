package postgres

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"enlist/internal/store/pgtest"
)

// logged is a log of which each line is a value of a channel.
type logged chan string

func (l logged) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// A service that is started before its database waits for it, and says so once.
func TestServerIsWaitedFor(t *testing.T) {
	server := server(t)
	if err := server.Stop("fast"); err != nil {
		t.Fatal(err)
	}
	lines := make(logged, 100)
	o := Options{Patience: time.Minute, Log: slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{Level: slog.LevelWarn}))}
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
		t.Errorf("the log says %s", line)
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
		t.Errorf("%v, and %d lines more", err, len(lines))
	}
}

// Patience has an end, and there is none with a server that answers but refuses.
func TestPatienceEnds(t *testing.T) {
	gone := "postgres:///enlist?user=enlist&host=" + t.TempDir()
	_, err := Open(t.Context(), gone, Options{Patience: time.Millisecond})
	if _, unreachable := errors.AsType[*connectFailed](err); !unreachable {
		t.Errorf("a server that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, gone, Options{Patience: time.Hour}); err == nil {
		t.Error("one who waits was called off, and it is open")
	}
	url := strings.Replace(database(t), "/enlist_test", "/nobody_has_this_enlist_test", 1)
	if _, err := Open(t.Context(), url, Options{Patience: time.Hour}); err == nil {
		t.Error("a database that is not there is open")
	}
}

// Whoever has no time limit of his own, as the queue, comes to know of a server
// that has gone without a word.
func TestQueueStatementsEnd(t *testing.T) {
	url := database(t)
	p := pgtest.NewProxy(t, url)
	config, err := parse(p.URL(url))
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig.Tracer = limiter(100 * time.Millisecond)
	pool, err := newPool(t.Context(), config, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := pool.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.FallSilent()
	if _, err := pool.Exec(t.Context(), "SELECT 1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server that says nothing: %v", err)
	}
	p.Talk()
	if _, err := pool.Exec(t.Context(), "SELECT 1"); err != nil {
		t.Errorf("it talks again: %v", err)
	}
}
