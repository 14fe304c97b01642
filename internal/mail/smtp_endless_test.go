package mail

import (
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
)

// This test talks to a server that never ends its reply.

// A reply without end is cut off, so that a mail server cannot fill the memory.
//
// covers: decision 50
func TestEndlessReplyIsCutOff(t *testing.T) {
	for _, c := range []struct{ name, first, again string }{
		{"lines", "", "220-hello\r\n"},
		{"one line", "220 ", "x"},
		{"after the greeting", "220 hello\r\n", "250-hello\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			listener, sent := endlessServer(t, c.first, c.again)
			s, err := newSender(Transport{SMTP: "smtp://" + listener, Connections: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer s.close()
			err = s.send(t.Context(), testMessage(t, 1, "ann@example.com"), nil)
			if err == nil || len(err.Error()) > longestDetail+200 {
				t.Errorf("no error, or a long one: %.1000v", err)
			}
			// The operating system buffers some of what is sent and never read; it is counted too.
			if n := sent.Load(); n > 100<<20 {
				t.Errorf("the server could send %d bytes", n)
			}
		})
	}
}

// endlessServer sends a text, and then another one again and again until the
// client closes the connection.
func endlessServer(t *testing.T, first, again string) (addr string, sent *atomic.Int64) {
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
			io.WriteString(conn, first)
			for text := []byte(strings.Repeat(again, 1000)); err == nil; {
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
