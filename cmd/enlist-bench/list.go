package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/postgres"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file creates the Lists of all parts: each has 10 Fields, and Contacts whose values depend only on their number.

// onEngines measures on a new SQLite database with this name, and on PostgreSQL if --postgres is set.
func (b *bench) onEngines(name string, measure func(database string) error) error {
	err := measure(filepath.Join(b.Dir, name))
	if err != nil || b.Postgres == "" {
		return err
	}
	return measure(b.Postgres)
}

// isPostgres reports whether a value of --db is PostgreSQL.
func isPostgres(database string) bool { return strings.HasPrefix(database, "postgres") }

// engine returns the name of the engine for the report.
func engine(database string) string {
	if isPostgres(database) {
		return "PostgreSQL"
	}
	return "SQLite"
}

// openStore opens the store at a value of --db.
func (b *bench) openStore(database string) (db.Engine, error) {
	if isPostgres(database) {
		return postgres.Open(b.ctx, database, postgres.Options{})
	}
	return sqlite.Open(b.ctx, database, sqlite.Options{})
}

// open opens a store and its service. A new database gets an Account with the key of this program.
func (b *bench) open(database string) (db.Engine, *app.App, *enlist.Caller, error) {
	store, err := b.openStore(database)
	if err != nil {
		return nil, nil, nil, err
	}
	service := app.New(store, time.Now)
	var caller *enlist.Caller
	if _, err = service.Bootstrap(b.ctx, apiKey); err == nil {
		caller, err = service.Accounts.Authenticate(b.ctx, apiKey)
	}
	if err != nil {
		err = fmt.Errorf("find the key of enlist-bench: --postgres must be an empty database: %w", err)
		return nil, nil, nil, errors.Join(err, store.Close())
	}
	return store, service, caller, nil
}

// makeList adds a List with the given number of Contacts to a database.
func (b *bench) makeList(database string, count int) (enlist.ListID, error) {
	store, service, caller, err := b.open(database)
	if err != nil {
		return 0, err
	}
	defer store.Close()
	list, err := b.addList(service, caller)
	if err != nil {
		return 0, err
	}
	_, err = b.fill(store, list, count)
	return list, err
}

// addList adds a List with 10 Fields.
func (b *bench) addList(service *app.App, caller *enlist.Caller) (enlist.ListID, error) {
	list, err := service.Lists.AddList(b.ctx, caller, []enlist.Detail{detail("name", "Bench"),
		detail("from_address", "bench@example.com")})
	if err != nil {
		return 0, err
	}
	for _, f := range []struct{ name, kind, values string }{
		{"First Name", "text", ""}, {"Last Name", "text", ""}, {"State", "dropdown", "NSW,VIC,QLD,WA,SA,TAS,ACT,NT"},
		{"Postcode", "text", ""}, {"Amount", "decimal", ""}, {"Born", "date", ""}, {"Member", "radio", "yes,no"},
		{"Comment", "comment", ""}, {"Colours", "checkbox", "red,green,blue"},
	} {
		_, err := service.Lists.AddField(b.ctx, caller, list, []enlist.Detail{
			detail("name", f.name), detail("type", f.kind), detail("values_array", f.values)})
		if err != nil {
			return 0, err
		}
	}
	return list, nil
}

// detail returns an attribute as a caller sends it.
func detail(key, value string) enlist.Detail {
	return enlist.Detail{Key: key, Value: enlist.TextInput(value)}
}

// fill inserts Contacts into the store without the API. It returns the ID of the first one; the others follow it.
func (b *bench) fill(store db.Engine, list enlist.ListID, all int) (first enlist.ContactID, err error) {
	err = b.inBatches(store, all, func(tx *db.Tx, from, to int) error {
		if from%100_000 == 0 {
			b.say("%d Contacts", from)
		}
		schema, err := lists.Schema(tx, list)
		for i := from; i < to && err == nil; i++ {
			c := person(schema, i)
			_, err = contacts.Insert(tx, c)
			if i == 0 {
				first = c.ID
			}
		}
		return err
	})
	return first, err
}

// inBatches calls write for the numbers from 0 to n-1, with 1000 numbers in each transaction.
func (b *bench) inBatches(store db.Engine, n int, write func(tx *db.Tx, from, to int) error) error {
	const size = 1000
	for from := 0; from < n; from += size {
		err := store.Update(b.ctx, func(tx *db.Tx) error { return write(tx, from, min(from+size, n)) })
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

// columns are the Fields of a List.
var columns = []string{"Email", "First Name", "Last Name", "State", "Postcode", "Amount", "Born", "Member", "Comment",
	"Colours"}

// values returns the values of Contact number i. A search for one State matches an eighth of the Contacts, for one
// Postcode a thousandth, and for one value of Member half of them.
func values(i int, email string) map[string]string {
	states := []string{"NSW", "VIC", "QLD", "WA", "SA", "TAS", "ACT", "NT"}
	return map[string]string{
		"Email": email, "First Name": "Maria", "Last Name": "Kowalska " + strconv.Itoa(i*7919%lastNames),
		"State": states[i%8], "Postcode": strconv.Itoa(2000 + i%1000), "Amount": strconv.Itoa(i%10000) + ".50",
		"Born":   time.Unix(int64(i%25000)*86400, 0).UTC().Format(time.DateOnly),
		"Member": []string{"yes", "no"}[i%2], "Comment": "Met at the spring fair", "Colours": "green,blue",
	}
}

// person returns Contact number i.
func person(schema *enlist.Schema, i int) *enlist.Contact {
	email := address(i)
	given := values(i, email)
	c := &enlist.Contact{ListID: schema.List.ID, Key: email, IsFirst: true, IsActive: true, SubscribedVia: "api",
		Created: 1_700_000_000 + int64(i), Modified: 1_700_000_000 + int64(i)}
	for i := range schema.Fields {
		c.Values = c.Values.Set(schema.Fields[i].ID, given[schema.Fields[i].Name])
	}
	return c
}
