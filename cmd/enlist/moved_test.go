package main

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"enlist/api"
	"enlist/internal/db/dbtest"
)

// This test moves the SQLite file of a running service.

// While the database file is moved, the service refuses changes and is not ready. When the file is back, it stores
// changes again.
func TestMovedFileMakesTheServiceNotReady(t *testing.T) {
	c := newCrash(t, dbtest.SQLite, "smtp://127.0.0.1:1")
	kill := c.start()
	defer kill()
	subscribe := func(email string) error {
		_, err := c.client.SubscribeContact(t.Context(), 1, api.Details{"Email": email}, api.Consent{})
		return err
	}
	if err := subscribe("before@example.com"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(c.db, c.db+".old"); err != nil {
		t.Fatal(err)
	}
	if refused, ok := errors.AsType[*api.Error](subscribe("lost@example.com")); !ok || refused.Code != 302 {
		t.Errorf("while the file is moved, subscribeContact was answered with %v, want code 302", refused)
	}
	wantReady(t, c.url, 503, "the database file was moved")
	if _, err := os.Stat(c.db); err == nil {
		t.Error("the service created a new file")
	}
	if err := os.Rename(c.db+".old", c.db); err != nil {
		t.Fatal(err)
	}
	wantReady(t, c.url, 200, "ok")
	if err := subscribe("after@example.com"); err != nil {
		t.Error(err)
	}
	if n, err := c.client.CountContacts(t.Context(), 1, api.Criteria{}); err != nil || n != 2 {
		t.Errorf("%d Contacts are stored, error %v; want the 2 that were answered", n, err)
	}
}

// wantReady checks the status of /readyz, and that its text contains about.
func wantReady(t *testing.T, url string, want int, about string) {
	t.Helper()
	reply, err := http.Get(strings.TrimSuffix(url, "/api/jsonrpcserver") + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil || reply.StatusCode != want || !strings.Contains(string(text), about) {
		t.Errorf("/readyz answers with %d %s, error %v; want %d with %q", reply.StatusCode, text, err, want, about)
	}
}
