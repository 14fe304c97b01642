package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/mailtest"
)

// The tests in this file change settings while servers run.

// setSettings stores settings of the service in a database that may be new.
func setSettings(t *testing.T, db string, values map[string]string) {
	t.Helper()
	store := must(openDatabase(t.Context(), config.Serve{Database: config.Database{DB: db}}, true, nil, nil))(t)
	defer store.Close()
	must(0, app.New(store, time.Now).Accounts.ChangeSettings(t.Context(), 0, values))(t)
}

// enlistCommand runs a command line in this process with only the variables in env, and returns its output and errors.
func enlistCommand(env map[string]string, args ...string) (status int, stdout, stderr string) {
	var out, failed bytes.Buffer
	environ := func() (all []string) {
		for name, value := range env {
			all = append(all, name+"="+value)
		}
		return all
	}
	status = run(args, &console{stdout: &out, stderr: &failed, getenv: func(name string) string { return env[name] }, environ: environ})
	return status, out.String(), failed.String()
}

// A changed setting applies to the mails of a running server, and to those of a second server of the same database.
//
// covers: decision 124
func TestSettingsApplyToRunningServers(t *testing.T) {
	dbtest.EachParallel(t, settingsApplyToRunningServers)
}

func settingsApplyToRunningServers(t *testing.T, e dbtest.Engine) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	mails := mailtest.Start(t, mailtest.Options{})
	c := newCrash(t, e, mails.URL())
	far := (time.Now().UTC().Hour() + 12) % 24
	setSettings(t, c.db, map[string]string{"batch-calendar": fmt.Sprintf("sun-sat %d-%d UTC", far, far+1)})
	first, second := c.process(), c.process()
	defer first.end(os.Kill)
	defer second.end(os.Kill)
	set := func(args ...string) {
		t.Helper()
		if status, _, stderr := enlistCommand(nil, append([]string{"settings", "set", "--db", c.db}, args...)...); status != 0 {
			t.Fatal(stderr)
		}
	}
	set("mail-from=Two <two@example.com>", "bounce-address=b@example.org")
	set("--account", "1", "max-file=5", "key-rate=2/minute")
	for _, p := range []*process{first, second} {
		until(t, ctx, "the key has a rate", func() bool {
			_, err := p.client.CountLists(ctx, api.Criteria{})
			return err != nil && strings.Contains(err.Error(), "the rate of this key is 2/minute")
		})
	}
	if status, _, stderr := enlistCommand(nil, "settings", "unset", "--db", c.db, "--account", "1", "key-rate"); status != 0 {
		t.Fatal(stderr)
	}
	for _, p := range []*process{first, second} {
		until(t, ctx, "the key has no rate", func() bool { _, err := p.client.CountLists(ctx, api.Criteria{}); return err == nil })
	}
	folders := must(first.client.SearchFolders(ctx, "file", api.Query{}))(t)
	for _, p := range []*process{first, second} {
		if _, err := p.client.UploadFile(ctx, folders[0].ID, "a.txt", []byte("123456"), false); err == nil || !strings.Contains(err.Error(), "at most 5 bytes") {
			t.Errorf("a file of 6 bytes: got %v, want a refusal", err)
		}
	}
	message := must(first.client.AddMessage(ctx, api.Details{"type": "email", "name": "Hello", "subject": "Hello", "text_content": "Hello"}))(t)
	must(first.client.AddAutoresponder(ctx, api.Details{"list_id": 1, "message_id": message, "event_type": "subscribe"}))(t)
	must(first.client.SubscribeContact(ctx, 1, api.Details{"Email": "ann@example.com"}, api.Consent{}))(t)
	m := must(mails.Wait(ctx, 1))(t)[0]
	if !strings.Contains(string(m.Data), "From: \"Two\" <two@example.com>") || !strings.HasPrefix(m.From, "b+1-") {
		t.Errorf("the envelope sender is %s, and the mail %s; want the new sender and bounce address", m.From, m.Data)
	}

	must(first.client.AddBatch(ctx, message, []api.Population{{ListID: 1}}, 0, false, api.BatchOptions{}))(t)
	if status, _, stderr := enlistCommand(nil, "settings", "unset", "--db", c.db, "batch-calendar"); status != 0 {
		t.Fatal(stderr)
	}
	must(mails.Wait(ctx, 2))(t) // the calendar does not stop the Batch any more
}

// until waits until a condition holds.
func until(t *testing.T, ctx context.Context, what string, holds func() bool) {
	t.Helper()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("it was not reached that %s", what)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// The help of serve fits on one screen.
func TestTheHelpOfServeHasAtMost40Lines(t *testing.T) {
	text, err := exec.CommandContext(t.Context(), "enlist", "serve", "--help").Output()
	help := string(text)
	if n := strings.Count(help, "\n"); err != nil || n > 40 {
		t.Errorf("the help has %d lines, error %v; want at most 40:\n%s", n, err, help)
	}
	for line := range strings.SplitSeq(help, "\n") {
		if len(line) > 80 {
			t.Errorf("a line has %d columns, want at most 80: %s", len(line), line)
		}
	}
}
