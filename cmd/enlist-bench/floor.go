package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// This file is the floor: the least that a durable change costs in Go with the same tables, drivers and HTTP server.
// Changes that arrive while a transaction runs share the next one. A caller gets its result after the commit. The floor
// has no rules, keys, counters and jobs.

// floorChange has statements of one caller.
type floorChange struct {
	statements []floorStatement
	id         int64 // result of the last statement
	done       chan error
}

type floorStatement struct {
	text string // the arguments are ?1, ?2 and so on
	args []any
}

// floor stores changes.
type floor struct {
	queue   chan *floorChange
	contact []string // the statements that store a Contact with its ledger row
}

// floorList is the ID of the List of the floor's Contacts. No server uses it.
const floorList = 1_000_000

const (
	floorContact = `INSERT INTO contact (list_id, dedupe_key, creation_time, last_modified_time, subscribed_via,
		double_opt_in, double_opt_in_time, is_active, is_bounce_deactivated, is_unsubscribed,
		last_click_time, last_message_time, last_open_time, webform_id, preference_values, field_values)
		VALUES (?1, ?2, ?3, ?3, 'api', 0, 0, 1, 0, 0, 0, 0, 0, 0, '', `
	floorLedger = `INSERT INTO consent (list_id, time, method, type, text, ip, preferences, key_id, contact_id%s)
		SELECT ?1, ?3, 'subscribeContact', 'direct', ?%d, ?%d, '', 1, %s`
)

// maxFloorGroup is the largest number of changes in one transaction, as in enlist.
const maxFloorGroup = 512

// openFloor returns a floor on a database with enlist's tables. It has as many connections as the measured enlist: eight
// to PostgreSQL, one to SQLite.
func openFloor(ctx context.Context, database string) (*floor, error) {
	f := &floor{queue: make(chan *floorChange, maxFloorGroup)}
	if !isPostgres(database) {
		f.contact = []string{floorContact + "jsonb(?4))",
			fmt.Sprintf(floorLedger, ", number", 2, 4, "last_insert_rowid(), 1")}
		file, err := openFloorFile(ctx, database)
		if err == nil {
			go f.loop(file.commit)
		}
		return f, err
	}
	f.contact = []string{"WITH added AS (" + floorContact + "?4) RETURNING id) " +
		fmt.Sprintf(floorLedger, "", 5, 6, "id FROM added RETURNING contact_id")}
	for range 8 {
		conn, err := pgx.Connect(ctx, database)
		if err != nil {
			return nil, errors.New("--postgres is not the URL of a database") // pgx would show its password
		}
		go f.loop(func(group []*floorChange) error { return commitPostgres(ctx, conn, group) })
	}
	return f, nil
}

// store stores statements in the next transaction, and returns the result of the last one.
func (f *floor) store(statements ...floorStatement) (int64, error) {
	c := &floorChange{statements: statements, done: make(chan error, 1)}
	f.queue <- c
	err := <-c.done
	return c.id, err
}

// loop commits the changes that wait, until the queue is closed.
func (f *floor) loop(commit func([]*floorChange) error) {
	for first := range f.queue {
		group := f.addQueued([]*floorChange{first})
		err := commit(group)
		for _, c := range group {
			c.done <- err
		}
	}
}

// addQueued adds the changes that are in the queue now to a group.
func (f *floor) addQueued(group []*floorChange) []*floorChange {
	for len(group) < maxFloorGroup {
		select {
		case c, ok := <-f.queue:
			if !ok {
				return group
			}
			group = append(group, c)
		default:
			return group
		}
	}
	return group
}

// floorFile is the connection to SQLite, without database/sql.
type floorFile struct {
	ctx      context.Context
	conn     driver.Conn
	prepared map[string]driver.StmtExecContext
}

// openFloorFile opens a file with the settings of enlist.
func openFloorFile(ctx context.Context, path string) (*floorFile, error) {
	drivers := sql.Drivers()
	sqlite := slices.IndexFunc(drivers, func(name string) bool { return strings.HasPrefix(name, "sqlite") })
	pool, err := sql.Open(drivers[sqlite], path) // package sqlite has registered its driver
	if err != nil {
		return nil, err
	}
	f := &floorFile{ctx: ctx, prepared: make(map[string]driver.StmtExecContext)}
	f.conn, err = pool.Driver().Open(path)
	if err != nil {
		return nil, err
	}
	for _, pragma := range []string{"journal_mode = WAL", "synchronous = FULL", "cache_size = -16384",
		"wal_autocheckpoint = 16000", "temp_store = MEMORY"} {
		if _, err := f.conn.(driver.ExecerContext).ExecContext(ctx, "PRAGMA "+pragma, nil); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *floorFile) exec(text string, args ...any) (driver.Result, error) {
	s := f.prepared[text]
	if s == nil {
		prepared, err := f.conn.Prepare(text)
		if err != nil {
			return nil, err
		}
		s = prepared.(driver.StmtExecContext)
		f.prepared[text] = s
	}
	named := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
	}
	return s.ExecContext(f.ctx, named)
}

// commit stores the changes of a group in one transaction.
func (f *floorFile) commit(group []*floorChange) error {
	if _, err := f.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, c := range group {
		for _, s := range c.statements {
			result, err := f.exec(s.text, s.args...)
			if err != nil {
				return err // the measurement fails
			}
			c.id, err = result.LastInsertId()
			if err != nil {
				return err
			}
		}
	}
	_, err := f.exec("COMMIT")
	return err
}

// commitPostgres sends the statements of a group together, as one transaction.
func commitPostgres(ctx context.Context, conn *pgx.Conn, group []*floorChange) error {
	var batch pgx.Batch
	for _, c := range group {
		for _, s := range c.statements {
			queued := batch.Queue(strings.ReplaceAll(s.text, "?", "$"), s.args...)
			if strings.Contains(s.text, " RETURNING ") {
				queued.QueryRow(func(row pgx.Row) error { return row.Scan(&c.id) })
			}
		}
	}
	return conn.SendBatch(ctx, &batch).Close()
}

// ServeHTTP answers a call of subscribeContact.
func (f *floor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		return // the benchmark asks whether the server is ready
	}
	var call struct {
		ID     json.RawMessage   `json:"id"`
		Params []json.RawMessage `json:"params"`
	}
	var details map[string]string
	var text, ip string
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &call)
	}
	if err == nil {
		err = errors.Join(json.Unmarshal(call.Params[2], &details), json.Unmarshal(call.Params[4], &text),
			json.Unmarshal(call.Params[6], &ip))
	}
	document, _ := json.Marshal(details) // of texts, so there is no error
	now := time.Now().Unix()
	args := []any{int64(floorList), details["Email"], now, string(document), text, ip}
	statements := []floorStatement{{f.contact[0], args}}
	if len(f.contact) > 1 {
		statements = []floorStatement{{f.contact[0], args[:4]}, {f.contact[1], []any{int64(floorList), text, now, ip}}}
	}
	var id int64
	if err == nil {
		id, err = f.store(statements...)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id":%s,"result":%d,"error":null}`, call.ID, id)
}

// floorDatabase returns a database for the floor: on PostgreSQL the same, on SQLite another file with enlist's tables.
func (b *bench) floorDatabase(database string) (string, error) {
	if isPostgres(database) {
		return database, nil
	}
	store, err := b.openStore(database + ".floor")
	if err != nil {
		return "", err
	}
	return database + ".floor", store.Close()
}
