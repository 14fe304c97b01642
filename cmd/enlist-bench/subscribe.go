package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"time"

	"enlist/internal/enlist"
)

// This file is the part "subscribe". The comparison is the floor.

// subscribing measures subscribeContact. The server writes a Contact with 10 Field
// values, its ledger row and the counters to the disk before it replies.
func (b *bench) subscribing() error {
	return b.onEngines("subscribe.db", func(db string) error {
		list, err := b.makeList(db, 0)
		if err != nil {
			return err
		}
		floor, err := b.floor(db)
		if err != nil {
			return err
		}
		defer floor.stop()
		var servers []*process
		for range map[bool]int{false: 1, true: 4}[isPostgres(db)] {
			flags := map[bool][]string{true: {"--db-writers", "8"}}[isPostgres(db)]
			server, err := b.serve(db, flags...)
			if err != nil {
				return err
			}
			defer server.stop()
			servers = append(servers, server)
		}
		for _, connections := range slices.Compact([]int{1, min(16, b.Connections), b.Connections}) {
			if err := b.subscribe(engine(db), servers[:1], list, connections, floor); err != nil {
				return err
			}
		}
		if len(servers) == 1 {
			return nil
		}
		return b.subscribe(engine(db), servers, list, b.Connections, floor)
	})
}

// subscribe measures connections to some servers.
func (b *bench) subscribe(engine string, servers []*process, list enlist.ListID, connections int, floor *process) error {
	title := fmt.Sprintf("%s: subscribeContact, 10 values, %d connections, processes: %d", engine, connections,
		len(servers))
	l := b.subscriptions(servers[0], list, connections)
	l.others = servers[1:]
	ratio, o, err := b.pairs(title, l, b.subscriptions(floor, list, connections))
	if err != nil {
		return err
	}
	b.add(figure{title + "; ratio to the floor", perSecond(o), ratio})
	b.add(figure{"– its p50, p99 and processor time", fmt.Sprintf("%s, %s, %v", milliseconds(o.percentile(0.5)),
		milliseconds(o.percentile(0.99)), o.each().Round(100*time.Nanosecond)), 0})
	return nil
}

// subscriptions has one request for each connection. Before each request, the method next()
// overwrites the address in the bytes of the connection's request.
type subscriptions struct {
	requests [][]byte
	serial   [][]byte // the digits of the address in each connection's request
	count    []int    // number of requests of each connection
	run      int      // makes the addresses of each load different
}

// serialDigits is the number of digits in an address. All requests must have the same length,
// because next overwrites the digits in place.
const serialDigits = 12

// subscribeCall has the API key, the ID of the List and the local part of the address.
const subscribeCall = `{"id":1,"method":"subscribeContact","params":["%s",%d,{"Email":"%s@example.com",` +
	`"First Name":"Maria","Last Name":"Kowalska","State":"NSW","Postcode":"2000","Amount":"12.50",` +
	`"Born":"1990-01-31","Member":"yes","Comment":"Met at the spring fair","Colours":"blue,green"},` +
	`"direct","I agree to the newsletter",{},"192.0.2.17"]}`

// subscriptions returns a load that subscribes new addresses to a List.
func (b *bench) subscriptions(to *process, list enlist.ListID, connections int) *load {
	b.runs++
	s := &subscriptions{count: make([]int, connections), run: b.runs}
	marker := []byte("############")
	for range connections {
		r := post(to, fmt.Sprintf(subscribeCall, apiKey, list, marker), len(`{"id":1,"result":123456,"error":null}`))
		at := bytes.Index(r, marker)
		s.requests = append(s.requests, r)
		s.serial = append(s.serial, r[at:at+serialDigits])
	}
	return &load{server: to, connections: connections, duration: b.Duration, request: s.next}
}

// next returns a connection's next request. Addresses are in random order, as in
// practice: an index is faster with addresses in ascending order.
func (s *subscriptions) next(connection int) []byte {
	s.count[connection]++
	n := uint64(s.run)<<32 | uint64(connection)<<24 | uint64(s.count[connection])
	n = n * 0x9E3779B97F4A7C15 >> 20 // spreads the numbers over the range, so that collisions are unlikely
	digits := strconv.AppendUint(make([]byte, 0, 16), n%1e12, 10)
	copy(s.serial[connection], "000000000000")
	copy(s.serial[connection][serialDigits-len(digits):], digits)
	return s.requests[connection]
}

// succeeded reports whether a call succeeded. The member "error" is the last member of each reply.
func succeeded(body []byte) bool { return bytes.HasSuffix(body, []byte(`,"error":null}`)) }

// perSecond and milliseconds format values for the table.
func perSecond(o outcome) string { return fmt.Sprintf("%.0f/s", o.rate()) }

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}
