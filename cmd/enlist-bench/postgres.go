package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/audience"
	"enlist/internal/enlist"
	"enlist/internal/store/postgres"

	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is the part "postgres": subscribeContact on PostgreSQL, with one process of enlist and with four. The
// comparison is a bare INSERT of the Contact's row into the same database.

// onPostgres measures subscribeContact on PostgreSQL, alternately with inserts of only
// the Contact's row.
func (b *bench) onPostgres() error {
	if b.Postgres == "" {
		b.say("the part postgres is skipped, because --postgres is not set")
		return nil
	}
	list, err := b.fillPostgres(b.Postgres)
	if err != nil {
		return err
	}
	var servers []*process
	for range 4 {
		server, err := b.serveAt(b.Postgres, "--db-writers", "8", "--mail", "dir:"+b.Dir)
		if err != nil {
			return err
		}
		defer server.stop()
		servers = append(servers, server)
	}
	several := b.subscriptions(servers[0], list, 64)
	several.others = servers[1:]
	loads := []*load{b.subscriptions(servers[0], list, 1), b.subscriptions(servers[0], list, 16), b.subscriptions(servers[0], list, 64), several}
	for _, l := range loads {
		if err := b.besideBare(l); err != nil {
			return err
		}
	}
	return nil
}

// besideBare runs a load and the bare inserts alternately.
func (b *bench) besideBare(l *load) error {
	title := fmt.Sprintf("PostgreSQL, %d connections, processes: %d", l.connections, 1+len(l.others))
	ratio, o, err := b.alternate(title, func() (outcome, error) { return l.run(b.ctx) }, b.bareInserts)
	if err != nil {
		return err
	}
	b.add(figure{title + ": subscribeContact, 10 values; ratio to a bare INSERT", perSecond(o), ratio, "0.50"})
	b.add(figure{"– its p99", milliseconds(o.percentile(0.99)), 0, ""})
	return nil
}

// fillPostgres creates a List with 10 Fields in an empty database.
func (b *bench) fillPostgres(db string) (list enlist.ListID, err error) {
	store, err := postgres.Open(b.ctx, db, postgres.Options{})
	if err != nil {
		return 0, err
	}
	defer store.Close()
	service := audience.NewService(store, time.Now)
	first, err := service.Bootstrap(b.ctx, apiKey)
	switch {
	case err != nil:
		return 0, err
	case first == nil:
		return 0, errors.New("the database of --postgres or --citus is not empty: give a new one")
	}
	caller, err := service.Operator(b.ctx, first.Account)
	if err != nil {
		return 0, err
	}
	return b.addList(service, caller)
}

// bareInsert writes the row of a Contact as package audience does, without ledger, jobs or counters.
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
