package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"enlist/internal/audience"
	"enlist/internal/enlist"
	"enlist/internal/store/sqlite"
)

// This file is the part "subscribe". It also creates the SQLite databases of all parts: a List with 10 Fields, and
// Contacts whose values depend only on their number.

// subscribing measures subscribeContact. The server writes a Contact with 10 Field
// values, its ledger row and the counters to the disk before it replies.
func (b *bench) subscribing() error {
	list, err := b.makeDatabase("subscribe.db", 0)
	if err != nil {
		return err
	}
	server, err := b.serve("subscribe.db")
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
	title := fmt.Sprintf("subscribeContact, 10 values, %d connections", b.Connections)
	b.add(figure{title, perSecond(o), ratio, "0.35"})
	b.add(figure{"– its p99", milliseconds(o.percentile(0.99)), 0, "20 ms"})
	o, err = b.subscriptions(server, list, 1).run(b.ctx)
	if err != nil {
		return err
	}
	b.add(figure{"subscribeContact, 1 connection, p50", milliseconds(o.percentile(0.5)), 0, "0.6 ms"})
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

// makeDatabase creates a database with a key and a List, and returns the ID of the List.
// The List has 10 Fields and the given number of Contacts.
func (b *bench) makeDatabase(name string, contacts int) (list enlist.ListID, err error) {
	store, err := sqlite.Open(b.ctx, filepath.Join(b.Dir, name), sqlite.Options{})
	if err != nil {
		return 0, err
	}
	defer store.Close()
	service := audience.NewService(store, time.Now)
	first, err := service.Bootstrap(b.ctx, apiKey)
	if err != nil {
		return 0, err
	}
	caller, err := service.Authenticate(b.ctx, first.Key)
	if err != nil {
		return 0, err
	}
	list, err = b.addList(service, caller)
	if err != nil {
		return 0, err
	}
	return list, b.fill(store, list, contacts)
}

// addList adds a List with 10 Fields. more has further attributes of the List.
func (b *bench) addList(service *audience.Service, caller *enlist.Caller,
	more ...enlist.Detail) (enlist.ListID, error) {
	list, err := service.AddList(b.ctx, caller, append(more, detail("name", "Bench")))
	if err != nil {
		return 0, err
	}
	for _, f := range []struct{ name, kind, values string }{
		{"First Name", "text", ""}, {"Last Name", "text", ""}, {"State", "dropdown", "NSW,VIC,QLD,WA,SA,TAS,ACT,NT"},
		{"Postcode", "text", ""}, {"Amount", "decimal", ""}, {"Born", "date", ""}, {"Member", "radio", "yes,no"},
		{"Comment", "comment", ""}, {"Colours", "checkbox", "red,green,blue"},
	} {
		_, err := service.AddField(b.ctx, caller, list, []enlist.Detail{
			detail("name", f.name), detail("type", f.kind), detail("values_array", f.values)})
		if err != nil {
			return 0, err
		}
	}
	return list, nil
}

// detail returns an attribute as a caller sends it.
func detail(key, value string) enlist.Detail {
	return enlist.Detail{Key: key, Value: enlist.Input{Kind: enlist.InputText, Text: value}}
}

// fill inserts Contacts into the store without the API.
func (b *bench) fill(store audience.Store, list enlist.ListID, contacts int) error {
	return b.inBatches(store, contacts, func(tx *audience.Tx, from, to int) error {
		if from%100_000 == 0 {
			b.say("%d Contacts", from)
		}
		schema, err := tx.Schema(list)
		for i := from; i < to && err == nil; i++ {
			_, err = tx.InsertContact(person(schema, i))
		}
		return err
	})
}

// inBatches calls write for the numbers from 0 to n-1, with 1000 numbers in each transaction.
func (b *bench) inBatches(store audience.Store, n int, write func(tx *audience.Tx, from, to int) error) error {
	const size = 1000
	for from := 0; from < n; from += size {
		err := store.Update(b.ctx, func(tx *audience.Tx) error { return write(tx, from, min(from+size, n)) })
		if err != nil {
			return err
		}
	}
	return context.Cause(b.ctx)
}

// address returns the Email of Contact number i. Successive addresses are far apart in the index.
func address(i int) string {
	return fmt.Sprintf("p%09d@example.com", uint64(i)*2654435761%1_000_000_007)
}

// lastNames is the number of different last names.
const lastNames = 500_000

// person returns Contact number i. A search for one State matches an eighth of the Contacts, for one
// Postcode a thousandth, and for one value of Member half of them.
func person(schema *enlist.Schema, i int) *enlist.Contact {
	states := []string{"NSW", "VIC", "QLD", "WA", "SA", "TAS", "ACT", "NT"}
	values := map[string]string{
		"Email": address(i), "First Name": "Maria", "Last Name": "Kowalska " + strconv.Itoa(i*7919%lastNames),
		"State": states[i%8], "Postcode": strconv.Itoa(2000 + i%1000), "Amount": strconv.Itoa(i%10000) + ".50",
		"Born":   time.Unix(int64(i%25000)*86400, 0).UTC().Format(time.DateOnly),
		"Member": []string{"yes", "no"}[i%2], "Comment": "Met at the spring fair", "Colours": "green,blue",
	}
	c := &enlist.Contact{ListID: schema.List.ID, Key: address(i), IsFirst: true, IsActive: true, SubscribedVia: "api",
		Created: 1_700_000_000 + int64(i), Modified: 1_700_000_000 + int64(i)}
	for i := range schema.Fields {
		c.Values = c.Values.Set(schema.Fields[i].ID, values[schema.Fields[i].Name])
	}
	return c
}
