package mail

import (
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
)

// The test in this file connects to a server whose reply never ends.

// The sender stops reading a reply that does not end. So a mail server cannot fill the memory of
// the process.
//
// covers: decision 50
func TestEndlessReplyIsCutOff(t *testing.T) {
	for _, c := range []struct{ name, greeting, repeated string }{
		{"a greeting with endless lines", "", "220-hello\r\n"},
		{"a greeting with one endless line", "220 ", "x"},
		{"an endless reply after the greeting", "220 hello\r\n", "250-hello\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			listener, sent := endlessServer(t, c.greeting, c.repeated)
			s, _, err := newSender(Transport{SMTP: "smtp://" + listener, Connections: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer s.close()
			err = s.send(t.Context(), testMessage(t, 1, "ann@example.com"), nil)
			if err == nil || len(err.Error()) > longestDetail+200 {
				t.Errorf("send returned %.1000v, want an error of at most %d bytes", err, longestDetail+200)
			}
			// sent includes bytes that the operating system buffered and that the sender never
			// read.
			if n := sent.Load(); n > 100<<20 {
				t.Errorf("the server could send %d bytes, want at most 100 MiB", n)
			}
		})
	}
}

// endlessServer starts a server that sends greeting once, and then sends repeated again and again
// until the client closes the connection. sent is the number of bytes sent after the greeting.
func endlessServer(t *testing.T, greeting, repeated string) (addr string, sent *atomic.Int64) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sent = new(atomic.Int64)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			io.WriteString(conn, greeting)
			for text := []byte(strings.Repeat(repeated, 1000)); err == nil; {
				var n int
				n, err = conn.Write(text)
				sent.Add(int64(n))
			}
			conn.Close()
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		<-done
	})
	return listener.Addr().String(), sent
}
