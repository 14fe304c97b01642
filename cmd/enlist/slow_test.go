package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
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

// Every path of every listener closes the connection of a client that does not send the body that it has announced,
// though most of them read no body.
//
// covers: decision 125
func TestEveryPathHasDeadlines(t *testing.T) {
	limit := config.Serve{ClientTime: 50 * time.Millisecond}
	addr, key := startServerWith(t, limit)
	ops, err := newOps("127.0.0.1:0", limitsOf(limit), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(ops.serve)
	t.Cleanup(func() { ops.close(); serving.Wait() })
	for _, c := range []struct{ addr, line string }{
		{addr, "GET /healthz"}, {addr, "GET /readyz"}, {addr, "GET /"}, {addr, "POST /rpc"}, {addr, "POST /api/xmlrpcserver"},
		{addr, "PUT /rpc"}, {addr, "GET /api/"}, {addr, "POST /api/"}, {addr, "GET /clients/enlist.py"},
		{addr, "GET /admin/"}, {addr, "POST /admin/"}, {addr, "GET /admin/sign-in"}, {addr, "POST /admin/sign-in"},
		{addr, "GET /admin/assets/style.css"}, {addr, "GET /s/1"}, {addr, "POST /s/1"}, {addr, "GET /a/1"},
		{addr, "GET /u/x"}, {addr, "POST /u/x"}, {addr, "GET /api/exports?list_id=1"}, {addr, "POST /api/imports?list_id=1"},
		{addr, "GET /nothing"}, {addr, "DELETE /"},
		{ops.listener.Addr().String(), "GET /metrics"}, {ops.listener.Addr().String(), "GET /debug/pprof/"},
		{ops.listener.Addr().String(), "POST /debug/pprof/symbol"},
	} {
		conn := must(net.Dial("tcp", c.addr))(t)
		defer conn.Close()
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: 10\r\n\r\n", c.line, key)
		if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		_, err := io.Copy(io.Discard, conn)
		if timeout, is := errors.AsType[net.Error](err); is && timeout.Timeout() {
			t.Errorf("%s: the connection stays open", c.line)
		}
	}
}
