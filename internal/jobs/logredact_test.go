package jobs_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/jobs"
	"enlist/internal/store/teststores"

	"github.com/riverqueue/river"
)

// The test in this file reads what the queue library logs about a mail that failed.

// refusingMailer is a Mailer whose mail server repeats the address in its reply, as most do.
type refusingMailer struct{}

func (refusingMailer) Notify(context.Context, string, *audience.Notification) error {
	return &audience.Undelivered{Code: 450, Detail: "4.1.1 <owner@example.com>: try later"}
}

func (refusingMailer) Send(context.Context, *audience.OutgoingMail) (string, error) { return "", nil }

// No address appears in the log, except at the level debug.
//
// covers: decision 50
func TestLogNamesNoAddress(t *testing.T) { teststores.EachParallel(t, logNamesNoAddress) }

func logNamesNoAddress(t *testing.T, e teststores.Engine) {
	for _, level := range []slog.Level{slog.LevelWarn, slog.LevelDebug} {
		t.Run(level.String(), func(t *testing.T) {
			p := newListWithMailServer(t, e, detail("on_register_address", "owner@example.com"))
			p.subscribe("ann@example.com")
			var log lockedLog
			config := jobs.Config(jobs.Options{Service: p.service, Store: p.store, Mailer: refusingMailer{},
				Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level}))})
			config.TestOnly = true
			client := p.client(config)
			failed, cancel := client.Subscribe(river.EventKindJobFailed)
			p.must(client.Start(t.Context()))
			select {
			case <-failed:
			case <-time.After(time.Minute):
				t.Fatal("the mail was not tried")
			}
			cancel()
			p.must(client.StopAndCancel(context.Background()))
			text := log.String()
			if !strings.Contains(text, "job_kind=notify") || strings.Contains(text, "example.com") != (level == slog.LevelDebug) {
				t.Errorf("at level %v the log says:\n%s", level, text)
			}
		})
	}
}

// lockedLog is a log that a test reads while other goroutines write.
type lockedLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
