package bench

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
	"enlist/internal/store/sqlite"
)

// manyLists is over how many other Lists as many Contacts again are spread.
const manyLists = 1000

// indexing measures searches that use indexes, in a List beside which there are as
// many Contacts in others.
func (b *bench) indexing() error {
	const name = "indexes.db"
	list, err := b.makeDatabase(name, b.Contacts)
	if err != nil {
		return err
	}
	if _, err := b.addLists(name, manyLists, b.Contacts/manyLists); err != nil {
		return err
	}
	server, err := b.serve(name)
	if err != nil {
		return err
	}
	defer server.stop()
	c, err := dial(server)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	for _, s := range scanned {
		took, err := c.call(s.body(list, b.Contacts))
		if err != nil {
			return err
		}
		b.add(figure{s.name, milliseconds(took), 0, s.goal()})
	}
	if err := b.untilIndexed(c, name, list); err != nil {
		return err
	}
	store, err := sqlite.Open(b.ctx, filepath.Join(b.Dir, name), sqlite.Options{})
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
		own, err := median(func() (time.Duration, error) { return s.within(b.ctx, service, caller, list, b.Contacts) })
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		took, err := median(func() (time.Duration, error) { return c.call(s.body(list, b.Contacts)) })
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		b.add(figure{fmt.Sprintf("%s (without HTTP and JSON: %s)", s.name, milliseconds(own)), milliseconds(took), 0, s.goal()})
	}
	return b.manyLookups(server, list)
}

// manyLookups has 16 clients look for rare values.
func (b *bench) manyLookups(server *process, list audience.ListID) error {
	base, err := b.bareHandler()
	if err != nil {
		return err
	}
	defer base.stop()
	lookups := make([]string, 1000)
	for i := range lookups {
		s := shape{"", "searchContacts", fmt.Sprintf(`[["Last Name","exactly","Kowalska %d"]]`, i*97%lastNames), 0}
		lookups[i] = s.body(list, b.Contacts)
	}
	connections := b.Connections
	defer func() { b.Connections = connections }()
	b.Connections = 16
	ratio, o, _, err := b.compare("exactly a rare value, 16 connections", server, base, lookups)
	if err == nil {
		b.add(figure{"exactly a rare value, 16 connections", perSecond(o), ratio, "0.40"})
	}
	return err
}

// median is the middle of the times of many calls, for a second or so.
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

// indexKeys are what the searches want indexes of.
var indexKeys = []string{"Last Name", "Born", "State", "Postcode", "Member"}

// ordersTime is longer than it takes until what searches lacked is ordered.
const ordersTime = 75 * time.Second

// untilIndexed makes all searches, which order their indexes by that, and waits
// until these are there. In a List that is too small for that it makes them.
func (b *bench) untilIndexed(c *client, name string, list audience.ListID) error {
	if b.Contacts < 1_000_000 {
		return b.createIndexes(name, list, indexKeys)
	}
	for began := time.Now(); time.Since(began) < 10*time.Minute; time.Sleep(5 * time.Second) {
		for _, s := range indexed {
			if _, err := c.call(s.body(list, b.Contacts)); err != nil {
				return err
			}
		}
		states, err := b.indexStates(name, list)
		if err != nil {
			return err
		}
		waits := false
		for _, state := range states {
			waits = waits || state != "ready"
		}
		if time.Since(began) > ordersTime && len(states) > 0 && !waits {
			b.say("%v after the first search there are indexes of %q", time.Since(began).Round(time.Second), slices.Sorted(maps.Keys(states)))
			// What was fast enough without one gets one when it has come up often.
			missing := slices.DeleteFunc(slices.Clone(indexKeys), func(key string) bool { return states[key] != "" })
			b.say("making those of %q", missing)
			return b.createIndexes(name, list, missing)
		}
	}
	return fmt.Errorf("the indexes are not there after 10 minutes")
}

// indexStates asks for the indexes of a List, by their keys.
func (b *bench) indexStates(name string, list audience.ListID) (states map[string]string, err error) {
	said, err := b.run("index", "list", "--json", "--db", filepath.Join(b.Dir, name))
	if err != nil {
		return nil, err
	}
	var all []struct {
		List        audience.ListID `json:"list_id"`
		Name, State string
	}
	if err := json.Unmarshal(said, &all); err != nil {
		return nil, err
	}
	states = make(map[string]string)
	for _, i := range all {
		if i.List == list {
			states[i.Name] = i.State
		}
	}
	return states, nil
}

// createIndexes makes indexes by hand.
func (b *bench) createIndexes(name string, list audience.ListID, keys []string) error {
	for _, key := range keys {
		if _, err := b.run("index", "create", "--db", filepath.Join(b.Dir, name), "--list", fmt.Sprint(list), "--key", key); err != nil {
			return err
		}
	}
	return nil
}

// run runs a command of this program.
func (b *bench) run(args ...string) ([]byte, error) {
	cmd := exec.CommandContext(b.ctx, b.Program, args...)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}

// addLists makes so many further Lists with so many Contacts each.
func (b *bench) addLists(name string, lists, contacts int) (ids []audience.ListID, err error) {
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
