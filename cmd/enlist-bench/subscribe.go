package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/enlist"

	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is the part "subscribe". On SQLite the comparison is the bare handler. On PostgreSQL, where most of the
// time passes in the other server, it is a bare INSERT of the Contact's row into the same database.

// subscribing measures subscribeContact. The server writes a Contact with 10 Field
// values, its ledger row and the counters to the disk before it replies.
func (b *bench) subscribing() error {
	return b.onEngines("subscribe.db", func(db string) error {
		list, err := b.makeList(db, 0)
		if err != nil {
			return err
		}
		if isPostgres(db) {
			return b.subscribingPostgres(list)
		}
		return b.subscribingSQLite(db, list)
	})
}

func (b *bench) subscribingSQLite(db string, list enlist.ListID) error {
	server, err := b.serve(db)
	if err != nil {
		return err
	}
	defer server.stop()
	base, err := b.bareHandler()
	if err != nil {
		return err
	}
	defer base.stop()
	ratio, o, err := b.pairs("subscribeContact", b.subscriptions(server, list, b.Connections),
		b.subscriptions(base, list, b.Connections))
	if err != nil {
		return err
	}
	b.add(figure{fmt.Sprintf("SQLite: subscribeContact, 10 values, %d connections", b.Connections), perSecond(o),
		ratio})
	b.add(figure{"– its p99", milliseconds(o.percentile(0.99)), 0})
	o, err = b.subscriptions(server, list, 1).run(b.ctx)
	if err != nil {
		return err
	}
	b.add(figure{"SQLite: subscribeContact, 1 connection, p50", milliseconds(o.percentile(0.5)), 0})
	return nil
}

// subscribingPostgres measures one process of enlist, and four.
func (b *bench) subscribingPostgres(list enlist.ListID) error {
	var servers []*process
	for range 4 {
		server, err := b.serve(b.Postgres, "--db-writers", "8")
		if err != nil {
			return err
		}
		defer server.stop()
		servers = append(servers, server)
	}
	several := b.subscriptions(servers[0], list, 64)
	several.others = servers[1:]
	for _, l := range []*load{b.subscriptions(servers[0], list, 16),
		b.subscriptions(servers[0], list, 64), several} {
		title := fmt.Sprintf("PostgreSQL: subscribeContact, 10 values, %d connections, processes: %d", l.connections,
			1+len(l.others))
		ratio, o, err := b.alternate(title, func() (outcome, error) { return l.run(b.ctx) }, b.bareInserts)
		if err != nil {
			return err
		}
		b.add(figure{title + "; ratio to bare INSERTs", perSecond(o), ratio})
		b.add(figure{"– its p99", milliseconds(o.percentile(0.99)), 0})
	}
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

// bareInsert writes the row of a Contact as package contacts does, without ledger, jobs or counters.
const bareInsert = `INSERT INTO contact (list_id, dedupe_key, creation_time, last_modified_time, subscribed_via,
	double_opt_in, double_opt_in_time, is_active, is_bounce_deactivated, is_unsubscribed,
	last_click_time, last_message_time, last_open_time, webform_id, preference_values, field_values)
	VALUES (1, $1, $2, $2, 'api', 0, 0, 1, 0, 0, 0, 0, 0, 0, '', $3)`

// bareValues are the Field values of a row, with the address.
const bareValues = `{"1":"%s","3":"Maria","4":"Kowalska","5":"NSW","6":"2000","7":12.50,"8":"1990-01-31",` +
	`"9":"yes","10":"Met at the spring fair","11":"blue,green"}`

// bareConnections is the number of connections for the bare inserts. More connections are slower.
const bareConnections = 16

// bareInserts inserts rows into the table contact for the duration of a load. Each row
// is one transaction. No server uses the List of these rows.
func (b *bench) bareInserts() (o outcome, err error) {
	b.runs++
	config, err := pgxpool.ParseConfig(b.Postgres)
	if err != nil {
		return o, errors.New("--postgres is not the URL of a database") // pgx would show its password
	}
	config.MaxConns = bareConnections
	pool, err := pgxpool.NewWithConfig(b.ctx, config)
	if err != nil {
		return o, err
	}
	defer pool.Close()
	ctx, cancel := context.WithTimeout(b.ctx, b.Duration)
	defer cancel()
	var wg sync.WaitGroup
	var rows atomic.Int64
	var failed atomic.Pointer[error]
	began := time.Now()
	for c := range bareConnections {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				key := fmt.Sprintf("b%d.%d.%d@example.com", n, c, b.runs)
				_, err := pool.Exec(b.ctx, bareInsert, key, began.Unix(), fmt.Sprintf(bareValues, key))
				if err != nil {
					failed.Store(&err)
					return
				}
				rows.Add(1)
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return o, *err
	}
	return outcome{calls: int(rows.Load()), elapsed: time.Since(began)}, nil
}
