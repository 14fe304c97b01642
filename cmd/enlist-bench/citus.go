package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/store/postgres"

	"github.com/jackc/pgx/v5"
)

// This file is the part "citus": subscribeContact and searches by Email on a Citus cluster, compared with the same
// load on one PostgreSQL server of the same machine. It also measures how much of a call the coordinator does.

// citusContacts is the number of Contacts that searches look up.
const citusContacts = 20_000

// onCitus runs each load alternately on PostgreSQL and on the cluster.
func (b *bench) onCitus() error {
	if b.Citus == "" || b.Postgres == "" {
		b.say("the part citus is skipped, because --citus or --postgres is not set")
		return nil
	}
	var servers []*process
	var list enlist.ListID
	for _, db := range []string{b.Postgres, b.Citus} {
		var err error
		list, err = b.fillPostgres(db)
		if err == nil && db == b.Citus {
			err = b.distribute()
		}
		if err != nil {
			return err
		}
		server, err := b.serveAt(db, "--mail", "dir:"+b.Dir)
		if err != nil {
			return err
		}
		defer server.stop()
		servers = append(servers, server)
	}
	c := comparison{servers: servers, list: list}
	var err error
	if c.plain, _, err = postmasters(b.ctx, b.Postgres); err != nil {
		return err
	}
	if c.coordinator, c.workers, err = postmasters(b.ctx, b.Citus); err != nil {
		return err
	}
	if err := b.subscribeOnCitus(&c); err != nil {
		return err
	}
	return b.lookUpOnCitus(&c)
}

// comparison has the servers of the part citus.
type comparison struct {
	servers     []*process // enlist on PostgreSQL, and on the cluster
	list        enlist.ListID
	plain       []int // IDs of the first processes of the PostgreSQL servers
	coordinator []int
	workers     []int
}

// citusConnections are the numbers of connections to measure.
var citusConnections = []int{1, 16, 64}

// subscribeOnCitus measures subscribeContact.
func (b *bench) subscribeOnCitus(c *comparison) error {
	for _, connections := range citusConnections {
		title := fmt.Sprintf("Citus, %d connections: subscribeContact, 10 values; ratio to PostgreSQL", connections)
		err := b.besidePostgres(title, c, b.subscriptions(c.servers[1], c.list, connections),
			b.subscriptions(c.servers[0], c.list, connections))
		if err != nil {
			return err
		}
	}
	return nil
}

// lookUpOnCitus measures searches by Email.
func (b *bench) lookUpOnCitus(c *comparison) error {
	for _, db := range []string{b.Postgres, b.Citus} {
		store, err := postgres.Open(b.ctx, db, postgres.Options{UpdateTime: time.Minute})
		if err != nil {
			return err
		}
		if err := errors.Join(b.fill(store, c.list, citusContacts), store.Close()); err != nil {
			return err
		}
	}
	searches := func(to *process, connections int) *load {
		requests := make([][]byte, 5000)
		for i := range requests {
			requests[i] = post(to, fmt.Sprintf(`{"id":1,"method":"searchContacts","params":["%s",%d,[["Email","exactly","%s"]]]}`,
				apiKey, c.list, address(i*104729%citusContacts)), 0)
		}
		return repeating(to, connections, b.Duration, requests)
	}
	for _, connections := range citusConnections {
		title := fmt.Sprintf("Citus, %d connections: searchContacts by Email; ratio to PostgreSQL", connections)
		err := b.besidePostgres(title, c, searches(c.servers[1], connections), searches(c.servers[0], connections))
		if err != nil {
			return err
		}
	}
	return nil
}

// besidePostgres runs a load on the cluster and a load on PostgreSQL alternately.
func (b *bench) besidePostgres(title string, c *comparison, citus, plain *load) error {
	parts := []struct {
		name  string
		pids  []int
		load  *load
		cpu   time.Duration
		calls int
	}{{"coordinator", c.coordinator, citus, 0, 0}, {"workers", c.workers, citus, 0, 0}, {"PostgreSQL server", c.plain, plain, 0, 0}}
	run := func(l *load) (outcome, error) {
		for i := range parts {
			parts[i].cpu -= familyCPU(parts[i].pids)
		}
		o, err := l.run(b.ctx)
		for i := range parts {
			parts[i].cpu += familyCPU(parts[i].pids)
			if parts[i].load == l {
				parts[i].calls += o.calls
			}
		}
		return o, err
	}
	ratio, o, err := b.alternate(title, func() (outcome, error) { return run(citus) }, func() (outcome, error) { return run(plain) })
	if err != nil {
		return err
	}
	b.add(figure{title, perSecond(o), ratio, "0.50"})
	b.add(figure{"– its p99", milliseconds(o.percentile(0.99)), 0, "60 ms"})
	for _, p := range parts {
		each := (p.cpu / time.Duration(max(p.calls, 1))).Round(time.Microsecond)
		b.add(figure{"– processor time of the " + p.name + " for each call", each.String(), 0, ""})
	}
	return nil
}

// distribute distributes the tables of the database of --citus.
func (b *bench) distribute() error {
	d, err := postgres.OpenDistribution(b.ctx, b.Citus)
	if err != nil {
		return err
	}
	defer d.Close(b.ctx)
	return d.Run(b.ctx, func(string) {})
}

// postmasters returns the IDs of the first processes of a server on this machine, and of its workers. The role of the
// URL must be a superuser.
func postmasters(ctx context.Context, db string) (server, workers []int, err error) {
	conn, err := pgx.Connect(ctx, db)
	if err != nil {
		return nil, nil, errors.New("a URL is not that of a database") // pgx would show its password
	}
	defer conn.Close(ctx)
	const first = "SELECT CAST(split_part(pg_read_file('postmaster.pid'), chr(10), 1) AS INTEGER)"
	rows, err := conn.Query(ctx, first)
	if err == nil {
		server, err = pgx.CollectRows(rows, pgx.RowTo[int])
	}
	var citus bool
	if err == nil {
		err = conn.QueryRow(ctx, "SELECT to_regclass('pg_dist_node') IS NOT NULL").Scan(&citus)
	}
	if err != nil || !citus {
		return server, nil, err
	}
	rows, err = conn.Query(ctx, "SELECT CAST(result AS INTEGER) FROM run_command_on_workers($1)", first)
	if err == nil {
		workers, err = pgx.CollectRows(rows, pgx.RowTo[int])
	}
	return server, workers, err
}

// familyCPU returns the processor time of processes, of their children, and of their children that have ended.
func familyCPU(pids []int) (sum time.Duration) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // Glob fails only if the pattern is malformed
	for _, name := range stats {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // the process has ended
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		parent, _ := strconv.Atoi(fields[1])
		to := 11
		switch {
		case slices.Contains(pids, id):
			to = 15 // its own time, and that of its children that have ended
		case slices.Contains(pids, parent):
			to = 13
		}
		for _, field := range fields[11:to] {
			n, _ := strconv.ParseInt(field, 10, 64)
			sum += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return sum
}
