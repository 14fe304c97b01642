package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// This file is the load generator. Several connections send requests to one or several servers. The outcome is the
// number of calls, the latency of each call, and the processor time of the servers.

// load sends requests over connections that are kept alive. Each connection waits
// for its reply before it sends the next request. The load shares the machine with
// the server, so it does little work: requests are built before the measurement,
// and only the length and the last bytes of a reply are checked.
type load struct {
	server      *process
	others      []*process // further servers; the load divides its connections among all servers
	connections int
	duration    time.Duration
	// request returns the bytes of the next request, valid until the next call
	// with the same connection.
	request func(connection int) []byte
}

// outcome is the result of a load.
type outcome struct {
	calls   int
	bytes   int64
	elapsed time.Duration
	cpu     time.Duration   // processor time of the servers
	latency []time.Duration // sorted
}

// each returns the average processor time of a call.
func (o outcome) each() time.Duration {
	if o.calls == 0 {
		return 0
	}
	return o.cpu / time.Duration(o.calls)
}

// rate returns the calls per second.
func (o outcome) rate() float64 { return float64(o.calls) / o.elapsed.Seconds() }

// percentile returns the latency that the given share of the calls does not exceed.
func (o outcome) percentile(share float64) time.Duration {
	if len(o.latency) == 0 {
		return 0
	}
	return o.latency[min(len(o.latency)-1, int(share*float64(len(o.latency))))]
}

// replyRoom is the size of the buffer for a reply, in bytes. A longer reply is an error.
const replyRoom = 256 << 10

// run sends requests for the duration of the load. An error of any connection fails the whole load,
// because a rate of fewer connections cannot be compared.
func (l *load) run(ctx context.Context) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, l.duration)
	defer cancel()
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		total  outcome
		failed error
		stop   atomic.Bool
	)
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	start, cpu := time.Now(), l.cpu()
	for i := range l.connections {
		wg.Go(func() {
			o, err := l.sendRequests(i, &stop)
			mu.Lock()
			defer mu.Unlock()
			total.calls += o.calls
			total.bytes += o.bytes
			total.latency = append(total.latency, o.latency...)
			failed = errors.Join(failed, err)
		})
	}
	wg.Wait()
	total.elapsed, total.cpu = time.Since(start), l.cpu()-cpu
	slices.Sort(total.latency)
	return total, failed
}

// cpu returns the processor time that the servers have used so far.
func (l *load) cpu() time.Duration {
	sum := l.server.cpu()
	for _, p := range l.others {
		sum += p.cpu()
	}
	return sum
}

// sendRequests sends requests over connection number i until stop is set.
func (l *load) sendRequests(i int, stop *atomic.Bool) (o outcome, err error) {
	server := append([]*process{l.server}, l.others...)[i%(1+len(l.others))]
	conn, err := net.Dial("tcp", server.addr)
	if err != nil {
		return o, err
	}
	defer conn.Close()
	buf := make([]byte, replyRoom)
	for !stop.Load() {
		began := time.Now()
		if _, err := conn.Write(l.request(i)); err != nil {
			return o, err
		}
		body, err := readReply(conn, buf)
		if err != nil {
			return o, err
		}
		o.latency = append(o.latency, time.Since(began))
		if !l.server.bare && !succeeded(body) {
			return o, fmt.Errorf("the server answered %.300s", body)
		}
		o.calls++
		o.bytes += int64(len(body))
	}
	return o, nil
}

// Byte sequences in the header of a reply. Go's server writes exactly this spelling.
var (
	headerEnd     = []byte("\r\n\r\n")
	contentLength = []byte("\r\nContent-Length: ")
)

// readReply reads one HTTP reply with a Content-Length and returns its body, which is
// part of buf. It does not use net/http, because that would take processor time from
// the server.
func readReply(conn io.Reader, buf []byte) ([]byte, error) {
	have := 0
	for {
		n, err := conn.Read(buf[have:])
		have += n
		end := bytes.Index(buf[:have], headerEnd)
		if end < 0 {
			if err != nil {
				return nil, err
			}
			continue
		}
		at := bytes.Index(buf[:end], contentLength)
		if at < 0 {
			return nil, fmt.Errorf("reply without Content-Length: %.200s", buf[:end])
		}
		digits := buf[at+len(contentLength) : end]
		if cut := bytes.IndexByte(digits, '\r'); cut >= 0 {
			digits = digits[:cut]
		}
		length, err := strconv.Atoi(string(digits))
		if err != nil {
			return nil, err
		}
		body := end + len(headerEnd)
		if body+length > len(buf) {
			return nil, fmt.Errorf("a reply of %d bytes is too long for this load", length)
		}
		_, err = io.ReadFull(conn, buf[have:max(have, body+length)])
		return buf[body : body+length], err
	}
}

// post returns the bytes of an HTTP request that posts a body to the API. It asks the
// bare handler for a reply of the given number of bytes.
func post(to *process, body string, reply int) []byte {
	header := ""
	if to.bare {
		header = fmt.Sprintf("Bare-Reply: %d\r\n", reply)
	}
	return fmt.Appendf(nil, "POST /api/jsonrpcserver HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"%sContent-Length: %d\r\n\r\n%s", to.addr, header, len(body), body)
}

// repeating returns a load that sends the given requests again and again. The
// connections start with different requests.
func repeating(to *process, connections int, duration time.Duration, requests [][]byte) *load {
	next := make([]int, connections)
	return &load{server: to, connections: connections, duration: duration, request: func(i int) []byte {
		next[i]++
		return requests[(i*7919+next[i])%len(requests)]
	}}
}
