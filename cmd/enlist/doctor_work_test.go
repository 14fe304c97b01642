package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/mailtest"
)

// The tests in this file look at problems and notes of enlist doctor, and at the trials of the mail server.

// A request through a proxy that is not trusted is a problem, until the server starts with --trusted-proxy.
//
// covers: decision 80
func TestAnUntrustedProxyIsAProblemOfTheDoctor(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		db := e.New(t)
		serveOnce := func(t *testing.T, proxies ...string) {
			addr, _ := startServerOn(t, e, config.Serve{Database: config.Database{DB: db}, TrustedProxy: proxies})
			request := must(http.NewRequest("GET", "http://"+addr+"/healthz", nil))(t)
			request.Header.Set("X-Forwarded-For", "198.51.100.7")
			must(http.DefaultClient.Do(request))(t).Body.Close()
			http.DefaultClient.CloseIdleConnections()
		}
		t.Run("not trusted", func(t *testing.T) { serveOnce(t) })
		_, found, _ := enlistCommand(nil, "doctor", "--db", db)
		if !strings.Contains(found, "problem: proxy: a request from 127.0.0.1 had X-Forwarded-For (") || !strings.Contains(found, "--trusted-proxy 127.0.0.1") {
			t.Errorf("doctor prints %s", found)
		}
		t.Run("trusted", func(t *testing.T) { serveOnce(t, "127.0.0.1") })
		if _, found, _ = enlistCommand(nil, "doctor", "--db", db); !strings.Contains(found, "ok: proxy\n") {
			t.Errorf("doctor prints %s", found)
		}
	})
}

// A mail to an address that does not exist is a note and no problem. A mail that the server refuses from this sender is a
// problem, in words and with the command that tries it again.
//
// covers: decision 50
func TestTheDoctorTellsRefusedAddressesFromProblems(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server := mailtest.Start(t, mailtest.Options{})
	db := dbtest.SQLite.New(t)
	setSettings(t, db, map[string]string{"mail-from": "news@example.org"})
	addr, key := startServerWith(t, config.Serve{Database: config.Database{DB: db}, SMTP: server.URL()})
	client := api.NewClient("http://"+addr, key)
	defer client.Close()
	doctor := func(want string) (status int, found string) {
		until(t, ctx, "the job has failed", func() bool {
			status, found, _ = enlistCommand(nil, "doctor", "--db", db)
			return strings.Contains(found, want)
		})
		return status, found
	}
	must(client.EditList(ctx, api.Details{"id": 1, "on_register_address": "gone@example.com"}))(t)
	server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Reply(550, "5.1.1 no such user")))
	must(client.SubscribeContact(ctx, 1, api.Details{"Email": "ann@example.com"}, api.Consent{}))(t)
	status, found := doctor("note: jobs: the mail servers of the recipients refused 1 notifications about Contacts, such as: " +
		"the mail server answered 550 5.1.1 no such user\n")
	if status != 0 || strings.Contains(found, "problem") {
		t.Errorf("status %d, want 0: %s", status, found)
	}
	server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Reply(550, "5.7.1 relaying denied")))
	must(client.SubscribeContact(ctx, 1, api.Details{"Email": "bea@example.com"}, api.Consent{}))(t)
	if status, found = doctor("problem: jobs: 1 notifications about Contacts failed in all attempts"); status != 1 ||
		!strings.Contains(found, "The last reason: the mail server answered 550 5.7.1 relaying denied. ") ||
		!strings.Contains(found, "enlist jobs retry --all --kind notify, or give them up with: enlist jobs discard --all --kind notify") {
		t.Errorf("status %d, want 1: %s", status, found)
	}
}

// enlist doctor --smtp and enlist mail test try the mail server of the variables. A server that does not answer is a
// problem and a warning in the log, but does not stop the start.
func TestTheMailServerIsTried(t *testing.T) {
	server := mailtest.Start(t, mailtest.Options{})
	db := dbtest.SQLite.New(t)
	must(0, withService(t.Context(), config.Database{DB: db}, func(s *app.App) error {
		_, err := s.Bootstrap(t.Context(), "")
		return err
	}))(t)
	setSettings(t, db, map[string]string{"mail-from": "news@example.org"})
	status, found, failed := enlistCommand(nil, "doctor", "--smtp", "--db", db, "--smtp-server", server.URL())
	if status != 0 || !strings.Contains(found, "answers, without TLS, and accepts the sender news@example.org") || len(server.Messages()) != 0 {
		t.Errorf("status %d: %s%s", status, found, failed)
	}
	if status, _, failed = enlistCommand(nil, "doctor", "--smtp", "--db", db); status != 2 || !strings.Contains(failed, "ENLIST_SMTP") {
		t.Errorf("without a mail server: status %d: %s", status, failed)
	}
	status, found, failed = enlistCommand(nil, "mail", "test", "ada@example.com", "--db", db, "--smtp", server.URL())
	if status != 0 || !strings.Contains(found, "it answered to the mail: 250 ") || len(server.Messages()) != 1 {
		t.Errorf("status %d: %s%s", status, found, failed)
	}
	server.Stop()
	if status, found, _ = enlistCommand(nil, "doctor", "--smtp", "--db", db, "--smtp-server", server.URL()); status != 1 ||
		!strings.Contains(found, "problem: mail server: connect to the mail server 127.0.0.1:") {
		t.Errorf("status %d: %s", status, found)
	}
	ctx, stop := context.WithCancel(t.Context())
	log, lines := io.Pipe()
	c := &serveCommand{Serve: config.Serve{Database: config.Database{DB: db}, SMTP: server.URL(), Listen: "127.0.0.1:0", OpsListen: "none", Memory: 512 << 20, LogLevel: "warn"}}
	ended := make(chan error, 1)
	go func() { ended <- c.serve(ctx, stop, &console{stdout: io.Discard, stderr: lines}, ""); lines.Close() }()
	var text bytes.Buffer
	for buffer := make([]byte, 4096); !strings.Contains(text.String(), "the mail server does not accept mails"); {
		n, err := log.Read(buffer)
		text.Write(buffer[:n])
		if err != nil {
			t.Fatalf("the log has no warning: %s", text.String())
		}
	}
	stop()
	go io.Copy(io.Discard, log)
	must(0, <-ended)(t)
}

// A command that sends mails asks at a terminal, and sends only after y or yes.
func TestCommandsAskBeforeTheySend(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, "YES\n": true, "\n": false, "n\n": false, "": false} {
		var asked bytes.Buffer
		out := &console{stderr: &asked, answers: strings.NewReader(answer)}
		if err := out.confirm(false, "Send it?"); (err == nil) != want || asked.String() != "Send it? [y/N] " {
			t.Errorf("the answer %q: %v after %q", answer, err, asked.String())
		}
	}
	if err := new(console).confirm(true, "Send it?"); err != nil {
		t.Errorf("with --yes: %v", err)
	}
	for answer, want := range map[string]bool{"Second Shop\n": true, "second shop\n": true, "y\n": false} {
		out := &console{stderr: io.Discard, answers: strings.NewReader(answer)}
		if err := out.confirmName("", "--name", "Second Shop", "Remove it?"); (err == nil) != want {
			t.Errorf("the name %q: %v", answer, err)
		}
	}
}

// Misspelled variables stop the start: the error has all of them, each with the nearest name. A variable like those of a
// cluster, but with a value that only a person writes, is one of them. Variables of other programs are not.
func TestUnknownVariablesStopTheStart(t *testing.T) {
	db := filepath.Join(t.TempDir(), "enlist.db")
	variables := map[string]string{"ENLIST_SMPT": "x", "ENLIST_COLOUR": "x", "ENLIST_PORT": "8080", "OTHER_SMPT": "x"}
	status, _, failed := enlistCommand(variables, "serve", "--db", db)
	want := "these variables are unknown: ENLIST_COLOUR, ENLIST_PORT (did you mean ENLIST_SORT?), ENLIST_SMPT (did you mean ENLIST_SMTP?). Correct or remove them"
	if status != 2 || !strings.Contains(failed, want) {
		t.Errorf("status %d: %s; want %s", status, failed, want)
	}
	if _, err := os.Stat(db); err == nil {
		t.Error("a database was created before the variables were checked")
	}
}

// The variables of a cluster are told from those of a person by their form and their value.
func TestVariablesOfAClusterAreRecognised(t *testing.T) {
	for _, v := range []string{"ENLIST_SERVICE_HOST=10.96.0.12", "ENLIST_SERVICE_HOST=fd00::c", "ENLIST_SERVICE_PORT=80",
		"ENLIST_SERVICE_PORT_HTTP=80", "ENLIST_PORT=tcp://10.96.0.12:80", "ENLIST_PORT_8080_TCP=tcp://10.96.0.12:8080",
		"ENLIST_PORT_8080_TCP_ADDR=10.96.0.12", "ENLIST_PORT_8080_TCP_PORT=8080", "ENLIST_PORT_8080_TCP_PROTO=tcp",
		"ENLIST_PORT_53_UDP_PROTO=udp", "ENLIST_API_SERVICE_HOST=10.96.0.13", "ENLIST_API_PORT=tcp://10.96.0.13:80",
		"ENLIST_API_PORT_80_TCP_ADDR=10.96.0.13", "ENLIST_NAME=/web/enlist", "ENLIST_ENV_POSTGRES_USER=ann",
		"ENLIST_PORT_8080_TCP_PORT_START=8080"} {
		if !clusterVariable.MatchString(v) {
			t.Errorf("%s is not taken for one of a cluster", v)
		}
	}
	for _, v := range []string{"ENLIST_PORT=8080", "ENLIST_SERVICE_HOST=lists.example.com", "ENLIST_NAME=Shop", "ENLIST_DB=/data/enlist.db",
		"ENLIST_SMTP_PORT=25", "OTHER_PORT=tcp://10.96.0.12:80"} {
		if clusterVariable.MatchString(v) {
			t.Errorf("%s is taken for one of a cluster", v)
		}
	}
}
