package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"enlist/internal/config"
)

// A client that sends its header slowly is disconnected after headerTime, and a header over 16 KiB is refused.
func TestSlowAndLargeHeadersAreRefused(t *testing.T) {
	addr, _ := startServerWith(t, config.Serve{})
	large := must(net.Dial("tcp", addr))(t)
	defer large.Close()
	fmt.Fprintf(large, "GET /healthz HTTP/1.1\r\nHost: x\r\nX: %s\r\n\r\n", strings.Repeat("x", 32<<10))
	if reply, err := http.ReadResponse(bufio.NewReader(large), nil); err != nil || reply.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header of 32 KiB: got %v, error %v; want status 431", reply, err)
	}
	if testing.Short() {
		return
	}
	slow := must(net.Dial("tcp", addr))(t)
	defer slow.Close()
	fmt.Fprint(slow, "GET /healthz HTTP/1.1\r\nHost: x\r\n")
	if err := slow.SetReadDeadline(time.Now().Add(3 * headerTime)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(slow); err != nil {
		t.Errorf("a connection with half a header ends with %v, want that the server closes it", err)
	}
}

// A connection over the limit gets its reply when another one closes.
func TestConnectionsOverTheLimitWait(t *testing.T) {
	addr, _ := startServerWith(t, config.Serve{})
	const limit = 64 // of startServerWith
	all := make([]net.Conn, limit+1)
	for i := range all {
		all[i] = must(net.Dial("tcp", addr))(t)
		defer all[i].Close()
		fmt.Fprint(all[i], "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		if i < limit {
			if reply, err := http.ReadResponse(bufio.NewReader(all[i]), nil); err != nil || reply.StatusCode != http.StatusOK {
				t.Fatalf("connection %d: got %v, error %v; want status 200", i+1, reply, err)
			}
		}
	}
	last := all[limit]
	if err := last.SetReadDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := last.Read(make([]byte, 1)); err == nil {
		t.Errorf("a connection over the limit read %d bytes, want none", n)
	}
	all[0].Close()
	if err := last.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if reply, err := http.ReadResponse(bufio.NewReader(last), nil); err != nil || reply.StatusCode != http.StatusOK {
		t.Errorf("after another connection closed: got %v, error %v; want status 200", reply, err)
	}
}
