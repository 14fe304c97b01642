package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"time"

	"enlist/internal/enlist"
)

// This file measures searches that read every Contact of a List, and then searches with the indexes that the server has
// built because of them. They use one connection.

// search is a call whose time is measured.
type search struct{ name, method, params string }

// scanned are searches that read every Contact: their Fields have no index yet, and no Contact matches.
var scanned = []search{
	{"the first search on a Field", "searchContacts", `[["First Name","exactly","Nowhere"]]`},
	{"contains, the first time", "searchContacts", `[["Comment","contains","autumn"]]`},
}

// indexed returns searches that use an index.
func (in *searched) indexed() []search {
	return []search{
		{"exactly a rare value", "searchContacts", `[["Last Name","exactly","Kowalska 4711"]]`},
		{"a range of dates, sorted by them, 100", "searchContacts",
			`[["Born","greater_than","1990-01-31"]],100,0,"Born"`},
		{"two Fields, by creation_time, 100", "searchContacts",
			`[["State","exactly","NSW"],["Postcode","exactly","2008"]],100,0,"creation_time"`},
		{"the page in the middle, by a date", "searchContacts", fmt.Sprintf(`[],100,%d,"Born"`, in.Contacts/2)},
		{"the count of a common value", "countContacts", `[["State","exactly","NSW"]]`},
		{"starts_with, 100", "searchContacts", `[["Last Name","starts_with","Kowalska 471"]]`},
	}
}

// measureIndexed measures the searches over HTTP.
func (in *searched) measureIndexed() error {
	conn, err := net.Dial("tcp", in.server.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	c := &client{conn, in, make([]byte, replyRoom)}
	on := engine(in.db) + ": "
	for _, s := range scanned {
		took, err := c.call(s)
		if err != nil {
			return err
		}
		in.add(figure{on + s.name, milliseconds(took), 0})
	}
	if err := in.untilIndexed(c); err != nil {
		return err
	}
	for _, s := range in.indexed() {
		took, err := median(func() (time.Duration, error) { return c.call(s) })
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		in.add(figure{on + s.name, milliseconds(took), 0})
	}
	return in.manyLookups()
}

// manyLookups measures searches for rare values over 16 connections.
func (in *searched) manyLookups() error {
	lookups := make([]string, 1000)
	for i := range lookups {
		lookups[i] = in.body("searchContacts", fmt.Sprintf(`[["Last Name","exactly","Kowalska %d"]]`, i*97%lastNames))
	}
	few := *in.bench
	few.Connections = 16
	title := engine(in.db) + ": exactly a rare value, 16 connections"
	ratio, o, _, err := few.compare(title, in.server, in.base, lookups)
	if err == nil {
		in.add(figure{title, perSecond(o), ratio})
	}
	return err
}

// median repeats a call for about a second, at least 5 and at most 1000 times. It
// returns the median duration.
func median(call func() (time.Duration, error)) (time.Duration, error) {
	var all []time.Duration
	for began := time.Now(); len(all) < 1000 && time.Since(began) < time.Second || len(all) < 5; {
		took, err := call()
		if err != nil {
			return 0, err
		}
		all = append(all, took)
	}
	slices.Sort(all)
	return all[len(all)/2], nil
}

// indexKeys are the keys whose indexes the searches use.
var indexKeys = []string{"Last Name", "Born", "State", "Postcode"}

// scheduleTime is longer than the server takes to schedule the builds of missing indexes.
const scheduleTime = 75 * time.Second

// untilIndexed repeats all searches until the server has built their indexes. In a
// small List no search is slow enough to make the server build an index, so
// untilIndexed creates the indexes.
func (in *searched) untilIndexed(c *client) error {
	if in.Contacts < 1_000_000 {
		return in.createIndexes(indexKeys)
	}
	for began := time.Now(); time.Since(began) < 10*time.Minute; time.Sleep(5 * time.Second) {
		for _, s := range in.indexed() {
			if _, err := c.call(s); err != nil {
				return err
			}
		}
		ready, waits, err := in.indexes()
		if err != nil {
			return err
		}
		if time.Since(began) > scheduleTime && len(ready) > 0 && !waits {
			in.say("the server has built the indexes of %q after %v", ready, time.Since(began).Round(time.Second))
			// For a search that is fast without an index, the server builds none.
			missing := slices.DeleteFunc(slices.Clone(indexKeys),
				func(key string) bool { return slices.Contains(ready, key) })
			in.say("creating the indexes of %q", missing)
			return in.createIndexes(missing)
		}
	}
	return fmt.Errorf("the server did not build the indexes within 10 minutes")
}

// indexes returns the keys of the List that have an index, and whether other indexes are not ready yet.
func (in *searched) indexes() (ready []string, waits bool, err error) {
	said, err := in.command("index", "list", "--json", "--db", in.db)
	if err != nil {
		return nil, false, err
	}
	var all []struct {
		List        enlist.ListID `json:"list_id"`
		Name, State string
	}
	if err := json.Unmarshal(said, &all); err != nil {
		return nil, false, err
	}
	for _, i := range all {
		switch {
		case i.List != in.list:
		case i.State == "ready":
			ready = append(ready, i.Name)
		default:
			waits = true
		}
	}
	return ready, waits, nil
}

// createIndexes creates indexes with enlist index create.
func (in *searched) createIndexes(keys []string) error {
	for _, key := range keys {
		if _, err := in.command("index", "create", "--db", in.db, "--list", fmt.Sprint(in.list), "--key",
			key); err != nil {
			return err
		}
	}
	return nil
}

// command runs a command of enlist and returns its output.
func (in *searched) command(args ...string) ([]byte, error) {
	cmd := exec.CommandContext(in.ctx, in.Program, args...)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}

// addLists adds a number of Lists with the given number of Contacts each.
func (b *bench) addLists(db string, lists, contacts int) error {
	store, service, caller, err := b.open(db)
	if err != nil {
		return err
	}
	defer store.Close()
	quiet := *b
	quiet.log = io.Discard
	for range lists {
		list, err := b.addList(service, caller)
		if err != nil {
			return err
		}
		if _, err := quiet.fill(store, list, contacts); err != nil {
			return err
		}
	}
	return context.Cause(b.ctx)
}

// client is one connection that is kept alive.
type client struct {
	conn net.Conn
	in   *searched
	buf  []byte
}

// call sends a search, waits for the reply and returns the duration.
func (c *client) call(s search) (time.Duration, error) {
	request := post(c.in.server, c.in.body(s.method, s.params), 0)
	began := time.Now()
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	reply, err := readReply(c.conn, c.buf)
	if err == nil && !succeeded(reply) {
		err = fmt.Errorf("the server answered %.300s", reply)
	}
	return time.Since(began), err
}
