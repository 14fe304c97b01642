package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// This file is the bare handler: an HTTP server of Go, as in enlist, that does almost no work for a request. The report
// shows the rates of enlist as ratios to the rate of the bare handler, unless the title of a figure names another
// comparison.

// serve serves a handler until ctx ends.
func serve(ctx context.Context, addr string, handler http.Handler) error {
	server := &http.Server{Addr: addr, Handler: handler, BaseContext: func(net.Listener) context.Context { return ctx }}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// bare answers one request. It reads the request, decodes the JSON token by token, and writes as many bytes as the header
// Bare-Reply says. The bytes are spaces: the load generator checks only their number. The difference between its rate and
// the rate of enlist is the cost of enlist itself.
func bare(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	for d := jsontext.NewDecoder(bytes.NewBuffer(body)); ; {
		if _, err := d.ReadToken(); err != nil {
			break
		}
	}
	n, _ := strconv.Atoi(r.Header.Get("Bare-Reply"))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(n))
	w.Write(filler[:min(n, len(filler))])
}

// filler has enough bytes for the longest reply, a page of 100 Contacts.
var filler = bytes.Repeat([]byte{' '}, replyRoom/2)
