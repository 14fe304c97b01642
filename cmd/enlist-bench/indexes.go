package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"enlist/internal/audience"
	"enlist/internal/enlist"
	"enlist/internal/store/postgres"
	"enlist/internal/store/sqlite"
)

// This file is the part "indexes": searches in a large List, first without indexes and then with them. It runs on
// SQLite and, with --postgres, also on a copy of the same database. shapes.go lists the searches.

// manyLists is the number of other Lists. Together they have as many Contacts as the List that is searched.
const manyLists = 1000

// searchTarget is the database and the List that searches run on.
type searchTarget struct {
	db   string // the value of --db
	on   string // prefix for the names of figures, empty for SQLite
	list enlist.ListID
	open func() (audience.Store, error)
}

// indexing measures searches that use indexes. The database has as many Contacts in
// other Lists as in the List that is searched.
func (b *bench) indexing() error {
	const name = "indexes.db"
	list, err := b.makeDatabase(name, b.Contacts)
	if err != nil {
		return err
	}
	if _, err := b.addLists(name, manyLists, b.Contacts/manyLists); err != nil {
		return err
	}
	path := filepath.Join(b.Dir, name)
	in := searchTarget{db: path, list: list,
		open: func() (audience.Store, error) { return sqlite.Open(b.ctx, path, sqlite.Options{}) }}
	if err := b.searchIn(&in); err != nil || b.Postgres == "" {
		return err
	}
	b.say("copying the database to PostgreSQL")
	if _, err := b.run("copy", "--from", path, "--to", b.Postgres); err != nil {
		return err
	}
	in = searchTarget{b.Postgres, "PostgreSQL: ", list,
		func() (audience.Store, error) { return postgres.Open(b.ctx, b.Postgres, postgres.Options{}) }}
	return b.searchIn(&in)
}

// serving starts a server on a database, calls use with a connection to it, and
// stops the server.
func (b *bench) serving(db string, use func(*process, *client) error) error {
	server, err := b.serveAt(db, "--mail", "dir:"+b.Dir)
	if err != nil {
		return err
	}
	defer server.stop()
	c, err := dial(server)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	return use(server, c)
}

// searchIn measures the searches of shapes.go on one database.
func (b *bench) searchIn(in *searchTarget) error {
	return b.serving(in.db, func(server *process, c *client) error {
		for _, s := range scanned {
			took, err := c.call(s.body(in.list, b.Contacts))
			if err != nil {
				return err
			}
			b.add(figure{in.on + s.name, milliseconds(took), 0, s.goal()})
		}
		if err := b.untilIndexed(c, in); err != nil {
			return err
		}
		if err := b.withIndexes(c, in); err != nil {
			return err
		}
		return b.manyLookups(server, in)
	})
}

// withIndexes measures each search over HTTP, and again in this process without HTTP.
func (b *bench) withIndexes(c *client, in *searchTarget) error {
	store, err := in.open()
	if err != nil {
		return err
	}
	defer store.Close()
	service := audience.NewService(store, time.Now)
	caller, err := service.Authenticate(b.ctx, apiKey)
	if err != nil {
		return err
	}
	for _, s := range indexed {
		own, err := median(func() (time.Duration, error) { return s.within(b.ctx, service, caller, in.list, b.Contacts) })
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		took, err := median(func() (time.Duration, error) { return c.call(s.body(in.list, b.Contacts)) })
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		b.add(figure{fmt.Sprintf("%s%s (without HTTP and JSON: %s)", in.on, s.name, milliseconds(own)), milliseconds(took),
			0, s.goal()})
	}
	return nil
}

// manyLookups measures searches for rare values over 16 connections.
func (b *bench) manyLookups(server *process, in *searchTarget) error {
	base, err := b.bareHandler()
	if err != nil {
		return err
	}
	defer base.stop()
	lookups := make([]string, 1000)
	for i := range lookups {
		s := shape{"", "searchContacts", fmt.Sprintf(`[["Last Name","exactly","Kowalska %d"]]`, i*97%lastNames), 0}
		lookups[i] = s.body(in.list, b.Contacts)
	}
	few := *b
	few.Connections = 16
	title := in.on + "exactly a rare value, 16 connections"
	ratio, o, _, err := few.compare(title, server, base, lookups)
	if err == nil {
		b.add(figure{title, perSecond(o), ratio, "0.40"})
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
var indexKeys = []string{"Last Name", "Born", "State", "Postcode", "Member"}

// scheduleTime is longer than the server takes to schedule the builds of missing indexes.
const scheduleTime = 75 * time.Second

// untilIndexed repeats all searches until the server has built their indexes. In a
// small List no search is slow enough to make the server build an index, so
// untilIndexed creates the indexes.
func (b *bench) untilIndexed(c *client, in *searchTarget) error {
	if b.Contacts < 1_000_000 && in.on == "" {
		return b.createIndexes(in.db, in.list, indexKeys)
	}
	for began := time.Now(); time.Since(began) < 10*time.Minute; time.Sleep(5 * time.Second) {
		for _, s := range indexed {
			if _, err := c.call(s.body(in.list, b.Contacts)); err != nil {
				return err
			}
		}
		states, err := b.indexStates(in)
		if err != nil {
			return err
		}
		waits := false
		for _, state := range states {
			waits = waits || state != "ready"
		}
		if time.Since(began) > scheduleTime && len(states) > 0 && !waits {
			b.say("%v after the first search the server has built the indexes of %q",
				time.Since(began).Round(time.Second), slices.Sorted(maps.Keys(states)))
			// For a search that is fast without an index, the server builds none.
			missing := slices.DeleteFunc(slices.Clone(indexKeys), func(key string) bool { return states[key] != "" })
			b.say("creating the indexes of %q", missing)
			return b.createIndexes(in.db, in.list, missing)
		}
	}
	return fmt.Errorf("the server did not build the indexes within 10 minutes")
}

// indexStates returns the state of each index of the List, by the name of its key.
func (b *bench) indexStates(in *searchTarget) (states map[string]string, err error) {
	said, err := b.run("index", "list", "--json", "--db", in.db)
	if err != nil {
		return nil, err
	}
	var all []struct {
		List        enlist.ListID `json:"list_id"`
		Name, State string
	}
	if err := json.Unmarshal(said, &all); err != nil {
		return nil, err
	}
	states = make(map[string]string)
	for _, i := range all {
		if i.List == in.list {
			states[i.Name] = i.State
		}
	}
	return states, nil
}

// createIndexes creates indexes with enlist index create.
func (b *bench) createIndexes(db string, list enlist.ListID, keys []string) error {
	for _, key := range keys {
		if _, err := b.run("index", "create", "--db", db, "--list", fmt.Sprint(list), "--key", key); err != nil {
			return err
		}
	}
	return nil
}

// run runs a command of enlist and returns its output.
func (b *bench) run(args ...string) ([]byte, error) {
	cmd := exec.CommandContext(b.ctx, b.Program, args...)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}

// addLists adds a number of Lists with the given number of Contacts each.
func (b *bench) addLists(name string, lists, contacts int) (ids []enlist.ListID, err error) {
	store, err := sqlite.Open(b.ctx, filepath.Join(b.Dir, name), sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	service := audience.NewService(store, time.Now)
	caller, err := service.Authenticate(b.ctx, apiKey)
	if err != nil {
		return nil, err
	}
	b.say("%d Lists of %d Contacts", lists, contacts)
	quiet := *b
	quiet.log = io.Discard
	for range lists {
		id, err := b.addList(service, caller)
		if err != nil {
			return nil, err
		}
		if err := quiet.fill(store, id, contacts); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, context.Cause(b.ctx)
}
