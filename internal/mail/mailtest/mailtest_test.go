package mailtest_test

import (
	"net"
	"testing"
	"time"

	"enlist/internal/mail/mailtest"
)

// These tests stop and start the server at bad moments. A failure here would make
// tests of other packages hang.

// Stop must return also when the server has not begun to accept connections.
func TestStopRightAfterStartReturns(t *testing.T) {
	for range 200 {
		server := mailtest.Start(t, mailtest.Options{})
		stopped := make(chan struct{})
		go func() {
			server.Stop()
			close(stopped)
		}()
		select {
		case <-stopped:
		case <-time.After(time.Minute):
			t.Fatal("Stop has not returned after a minute")
		}
	}
}

// A server that was stopped frees its port and can listen there again.
func TestResumeListensOnTheSamePort(t *testing.T) {
	server := mailtest.Start(t, mailtest.Options{})
	url := server.URL()
	for range 20 {
		server.Stop()
		if err := server.Resume(); err != nil {
			t.Fatalf("resume: %v", err)
		}
		if got := server.URL(); got != url {
			t.Fatalf("URL after Resume = %s, want %s", got, url)
		}
	}
	connection, err := net.Dial("tcp", url[len("smtp://"):])
	if err != nil {
		t.Fatalf("connect after Resume: %v", err)
	}
	connection.Close()
}
