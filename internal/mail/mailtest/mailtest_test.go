package mailtest_test

import (
	"net"
	"testing"
	"time"

	"enlist/internal/mail/mailtest"
)

// The tests in this file stop the server shortly after its start, or start it shortly after
// a stop. Without these tests, an error there would make tests of other packages hang.

// Stop must also return if the server has not yet begun to accept connections.
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

// Stop frees the port of the server, and Resume listens on the same port again.
func TestResumeListensOnTheSamePort(t *testing.T) {
	server := mailtest.Start(t, mailtest.Options{})
	url := server.URL()
	for range 20 {
		server.Stop()
		if err := server.Resume(); err != nil {
			t.Fatalf("Resume returned %v, want no error", err)
		}
		if got := server.URL(); got != url {
			t.Fatalf("the URL after Resume is %s, want %s", got, url)
		}
	}
	connection, err := net.Dial("tcp", url[len("smtp://"):])
	if err != nil {
		t.Fatalf("a connection after Resume failed: %v", err)
	}
	connection.Close()
}
