package jobs_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
			log := newLogFile(t)
			client, failed := p.start(jobs.Options{Mailer: refusingMailer{}, Log: log.logger(level)}, nil, river.EventKindJobFailed)
			p.next(failed)
			p.must(client.StopAndCancel(context.Background()))
			text := log.text()
			if !strings.Contains(text, "job_kind=notify") || strings.Contains(text, "example.com") != (level == slog.LevelDebug) {
				t.Errorf("at level %v the log says:\n%s", level, text)
			}
		})
	}
}

// logFile is a log that a test reads while other goroutines write.
type logFile struct {
	*testing.T
	file *os.File
}

func newLogFile(t *testing.T) *logFile {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return &logFile{t, file}
}

// logger returns a Logger that writes records of a level and above.
func (l *logFile) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(l.file, &slog.HandlerOptions{Level: level}))
}

// text returns what was logged until now.
func (l *logFile) text() string {
	l.Helper()
	text, err := os.ReadFile(l.file.Name())
	if err != nil {
		l.Fatal(err)
	}
	return string(text)
}
