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

// A new connection over the limit takes the place of one that waits for its client.
func TestIdleConnectionGivesItsPlaceToANewOne(t *testing.T) {
	addr, _ := startServerWith(t, config.Serve{})
	const limit = 64 // of startServerWith
	for i := range limit + 1 {
		conn := must(net.Dial("tcp", addr))(t)
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		if reply, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || reply.StatusCode != http.StatusOK {
			t.Fatalf("connection %d: got %v, error %v; want status 200", i+1, reply, err)
		}
	}
}
