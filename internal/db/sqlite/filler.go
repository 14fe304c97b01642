package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"time"

	"enlist/internal/db"
)

// This file writes the rows of another database into a new SQLite file, for package dbcopy.

// Filler is a new SQLite file that gets all rows of another database. The methods of Source read the file
// again. A Filler does not survive a crash: the caller deletes an incomplete file.
type Filler struct {
	Source
}

// fillerPragmas turn off the journal and fsync, because an incomplete file is useless. A file with the journal
// mode DELETE is one file, without a write-ahead log.
var fillerPragmas = []string{"PRAGMA journal_mode = DELETE", "PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF"}

// NewFiller creates the tables in the file at path, which must be empty or missing.
func NewFiller(ctx context.Context, path string) (*Filler, error) {
	conn, err := bareConnection(path, prepare(ctx, path))
	if err != nil {
		return nil, err
	}
	f := &Filler{Source{conn}}
	for _, pragma := range fillerPragmas {
		if err := conn.exec(pragma); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

// IsCopied reports that a table is not copied yet.
func (f *Filler) IsCopied(context.Context, *db.Table) (bool, error) { return false, nil }

// Write writes a table: it calls rows with a function that stores one normalised row. All rows of a table are
// one transaction.
func (f *Filler) Write(_ context.Context, t *db.Table, rows func(write func([]driver.Value) error) error) error {
	s := f.conn.session
	if err := s.Do("BEGIN"); err != nil {
		return err
	}
	if t.Name == db.Catalogue {
		if err := s.Do("DELETE FROM " + t.Name); err != nil {
			return err
		}
	}
	places := t.List(func(c db.Column) string {
		if c.Form == db.Document && t.Name != queueTable {
			return "jsonb(?)"
		}
		return "?"
	})
	insert := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.Name, t.Names(), places)
	args := make([]any, len(t.Columns))
	err := rows(func(row []driver.Value) error {
		for i, v := range row {
			args[i] = fillValue(t, i, v)
		}
		return s.Do(insert, args...)
	})
	if err != nil {
		return err
	}
	return s.Do("COMMIT")
}

// queueTable is the table of the queue library (River), which stores JSON as the bytes of its text.
const queueTable = "river_job"

// riverTime is the format of times in River's tables. Its queries compare the texts.
const riverTime = "2006-01-02 15:04:05.999"

// fillValue converts a normalised value to the form in which SQLite stores it.
func fillValue(t *db.Table, column int, value driver.Value) any {
	switch v := value.(type) {
	case int64:
		if t.Columns[column].Form == db.Time {
			return time.UnixMilli(v).UTC().Format(riverTime)
		}
	case string:
		switch t.Columns[column].Form {
		case db.Document, db.Documents, db.Texts:
			if t.Name == queueTable {
				return []byte(v)
			}
		}
	}
	return value
}

// numbered selects the tables of enlist with AUTOINCREMENT. SQLite never uses their IDs twice.
const numbered = `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'
	AND name NOT LIKE 'goose\_%' ESCAPE '\' ORDER BY name`

// Finish stores the last ID that each table has used, so that it is not used again. It adds changes to the numbers
// of Contacts.
func (f *Filler) Finish(ctx context.Context, last map[string]int64, changes []db.CountChange) error {
	s := f.conn.session
	var tables []string
	err := f.each(ctx, func(row *db.Cursor) error {
		tables = append(tables, row.Text())
		return nil
	}, numbered)
	if err != nil {
		return err
	}
	for table, id := range last {
		if slices.Contains(tables, table) {
			if err := f.setLastID(table, id); err != nil {
				return err
			}
		}
	}
	for _, c := range changes {
		err := errors.Join(s.Do("UPDATE list SET contact_count = contact_count + ? WHERE id = ?", c.N, c.List),
			s.Do("UPDATE account SET contact_count = contact_count + ? WHERE id = ?", c.N, c.Account))
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Filler) setLastID(table string, id int64) error {
	s := f.conn.session
	n, err := s.Exec("UPDATE sqlite_sequence SET seq = ?1 WHERE name = ?2 AND seq < ?1", id, table)
	if err == nil && n == 0 {
		err = s.Do(`INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2
			WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)`, table, id)
	}
	return err
}
