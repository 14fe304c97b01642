package jobs_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"enlist/internal/db/dbtest"
	"enlist/internal/db/jobqueue"
	"enlist/internal/jobs"
	"enlist/internal/messages"
)

// The test in this file reads the log of the queue library about a mail that failed.

// refusingMailer is a Mailer that returns an error with the recipient's address in the reply of the
// mail server. Most mail servers repeat the address in this way.
type refusingMailer struct{}

func (refusingMailer) Notify(context.Context, string, *messages.Notification) error {
	return &messages.Undelivered{Code: 450, Detail: "4.1.1 <owner@example.com>: try later"}
}

func (refusingMailer) Send(context.Context, *messages.OutgoingMail) (string, error) { return "", nil }

// The log contains no address, except at the level debug.
//
// covers: decision 50
func TestLogContainsNoAddress(t *testing.T) { dbtest.EachParallel(t, logContainsNoAddress) }

func logContainsNoAddress(t *testing.T, e dbtest.Engine) {
	for _, level := range []slog.Level{slog.LevelWarn, slog.LevelDebug} {
		t.Run(level.String(), func(t *testing.T) {
			p := newListWithMailServer(t, e, detail("on_register_address", "owner@example.com"))
			p.subscribe("ann@example.com")
			log := newLogFile(t)
			client, failed := p.start(jobs.Options{Mailer: refusingMailer{}, Log: log.logger(level)}, nil, jobqueue.Failed)
			p.next(failed)
			p.must(client.StopAndCancel(context.Background()))
			text := log.text()
			if !strings.Contains(text, "job_kind=notify") || strings.Contains(text, "example.com") != (level == slog.LevelDebug) {
				t.Errorf("at the level %v the log is:\n%s\nwant the kind of the job, and the address only at the level debug", level, text)
			}
		})
	}
}

// logFile is a log that a test can read while other goroutines write to it.
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

// text returns the content of the log.
func (l *logFile) text() string {
	l.Helper()
	text, err := os.ReadFile(l.file.Name())
	if err != nil {
		l.Fatal(err)
	}
	return string(text)
}
