package postgres

import (
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"enlist/internal/store/sqlstore"

	"github.com/jackc/pgx/v5"
)

// Target is a database into which another one is copied, table by table. How far
// that is stands in the database itself, in a table that goes when it is done;
// until then nobody else opens it.
type Target struct {
	conn  *pgx.Conn
	shown string
}

var (
	errUnfinished = errors.New("the copy into it is not done: run enlist copy again, which goes on where it stopped")
	errCopying    = errors.New("another enlist copy is at it")
)

// copying is the number of the lock that whoever copies holds: "copy".
const copying = 0x636f7079

// OpenTarget opens the database at a URL, makes its tables where there are none,
// and begins a copy or takes up one that was broken off. A database that has
// anything else in it is refused.
func OpenTarget(ctx context.Context, url string) (*Target, error) {
	config, err := parse(url)
	if err != nil {
		return nil, errors.New("it is no URL of a PostgreSQL database: postgres://USER:PASSWORD@HOST:PORT/DATABASE")
	}
	t := &Target{shown: shown(config)}
	if err := t.open(ctx, url); err != nil {
		return nil, fmt.Errorf("open %s: %w", t.shown, err)
	}
	return t, nil
}

func (t *Target) open(ctx context.Context, url string) error {
	config, err := parse(url)
	if err != nil {
		return err
	}
	if err := migrate(ctx, config, Options{copying: true}.complete()); err != nil {
		return err
	}
	// A server that crashes loses the last batches together with the notes of them.
	config.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
	config.ConnConfig.RuntimeParams["application_name"] = "enlist copy"
	config.ConnConfig.RuntimeParams["statement_timeout"] = "0" // whatever the user's is: a table is read in one
	if t.conn, err = pgx.ConnectConfig(ctx, config.ConnConfig); err != nil {
		return connectError(err)
	}
	if err := t.begin(ctx); err != nil {
		return errors.Join(err, t.Close())
	}
	return nil
}

// Close leaves the copy as it is.
func (t *Target) Close() error { return t.conn.Close(context.Background()) }

// begin begins the copy, unless it has begun.
func (t *Target) begin(ctx context.Context) error {
	var mine, begun bool
	if err := t.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1), to_regclass('copy_progress') IS NOT NULL", copying).Scan(&mine, &begun); err != nil {
		return err
	}
	if !mine {
		return errCopying
	}
	if begun {
		return nil
	}
	tables, err := t.Tables(ctx)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, t.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, alone); err != nil {
			return err
		}
		for _, table := range tables {
			var used bool
			if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM "+table.Name+") AND $1 <> 'catalogue'", table.Name).Scan(&used); err != nil {
				return err
			}
			if used {
				return fmt.Errorf("there is something in it already, in table %s: give an empty database", table.Name)
			}
		}
		_, err := tx.Exec(ctx, `CREATE TABLE copy_progress (name TEXT PRIMARY KEY, rows BIGINT NOT NULL, last JSONB, done BOOLEAN NOT NULL)`)
		return err
	})
}

// Tables are the tables that hold something of ours, with the queue's jobs. Their
// keys are the source's business.
func (t *Target) Tables(ctx context.Context) (tables []sqlstore.Table, err error) {
	rows, err := t.conn.Query(ctx, `SELECT relname, attname, CASE WHEN typtype = 'e' THEN 'text' ELSE typname END
		FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid JOIN pg_type ON pg_type.oid = atttypid
		WHERE relkind IN ('r', 'p') AND NOT relispartition AND attnum > 0 AND NOT attisdropped AND relnamespace = current_schema()::regnamespace
			AND (relname = 'river_job' OR relname NOT LIKE 'river\_%' AND relname NOT LIKE 'goose\_%' AND relname NOT IN ('contact_delta', 'copy_progress'))
			AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
		ORDER BY relname COLLATE "C", attnum`)
	if err != nil {
		return nil, err
	}
	var table, column, kind string
	_, err = pgx.ForEachRow(rows, []any{&table, &column, &kind}, func() error {
		form, ok := forms[kind]
		if !ok {
			return fmt.Errorf("%s of %s is a %s, which cannot be copied", column, table, kind)
		}
		if len(tables) == 0 || tables[len(tables)-1].Name != table {
			tables = append(tables, sqlstore.Table{Name: table})
		}
		last := &tables[len(tables)-1]
		last.Columns = append(last.Columns, sqlstore.Column{Name: column, Form: form})
		return nil
	})
	return tables, err
}

var forms = map[string]sqlstore.Form{
	"int2": sqlstore.Number, "int4": sqlstore.Number, "int8": sqlstore.Number,
	"text": sqlstore.Text, "varchar": sqlstore.Text, "bytea": sqlstore.Bytes, "timestamptz": sqlstore.Time, "bit": sqlstore.Bits,
	"jsonb": sqlstore.Document, "_jsonb": sqlstore.Documents, "_text": sqlstore.Texts, "_varchar": sqlstore.Texts,
}

// Progress is how far a table is copied.
type Progress struct {
	Rows int64
	Last []driver.Value // the key of the last row, nil when there is none
	Done bool
}

// Progress returns how far a table is copied.
func (t *Target) Progress(ctx context.Context, table *sqlstore.Table) (p Progress, err error) {
	var last *string
	err = t.conn.QueryRow(ctx, "SELECT rows, last::text, done FROM copy_progress WHERE name = $1", table.Name).Scan(&p.Rows, &last, &p.Done)
	if errors.Is(err, pgx.ErrNoRows) {
		return Progress{}, nil
	}
	if err != nil || last == nil {
		return p, err
	}
	d := json.NewDecoder(strings.NewReader(*last))
	d.UseNumber()
	var key []any
	if err := d.Decode(&key); err != nil {
		return p, err
	}
	for _, v := range key {
		if n, ok := v.(json.Number); ok {
			if v, err = n.Int64(); err != nil {
				return p, err
			}
		}
		p.Last = append(p.Last, v)
	}
	return p, nil
}

// Write adds rows to a table and notes how far it is then, both or neither.
func (t *Target) Write(ctx context.Context, table *sqlstore.Table, rows [][]driver.Value, p Progress) error {
	text, err := copyText(table, rows)
	if err != nil {
		return err
	}
	var last *string
	if p.Last != nil {
		b, err := json.Marshal(p.Last)
		if err != nil {
			return err
		}
		s := string(b)
		last = &s
	}
	return pgx.BeginFunc(ctx, t.conn, func(tx pgx.Tx) error {
		if len(table.Key) == 0 { // it has its row from the beginning
			if _, err := tx.Exec(ctx, "DELETE FROM "+table.Name); err != nil {
				return err
			}
		}
		names := make([]string, len(table.Columns))
		for i, c := range table.Columns {
			names[i] = c.Name
		}
		if _, err := t.conn.PgConn().CopyFrom(ctx, bytes.NewReader(text), "COPY "+table.Name+" ("+strings.Join(names, ", ")+") FROM STDIN"); err != nil {
			return fmt.Errorf("write %s: %w", table.Name, err)
		}
		_, err := tx.Exec(ctx, `INSERT INTO copy_progress (name, rows, last, done) VALUES ($1, $2, $3, $4)
			ON CONFLICT (name) DO UPDATE SET rows = excluded.rows, last = excluded.last, done = excluded.done`, table.Name, p.Rows, last, p.Done)
		return err
	})
}

// Each calls fn with every row of a table, in any order.
func (t *Target) Each(ctx context.Context, table *sqlstore.Table, fn func(row []driver.Value) error) error {
	columns := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = reading(c)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows := t.conn.PgConn().ExecParams(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+table.Name, nil, nil, nil, nil)
	row := make([]driver.Value, len(columns))
	for rows.NextRow() {
		types := rows.FieldDescriptions()
		for i, value := range rows.Values() {
			row[i] = decode(value, types[i].DataTypeOID, true)
		}
		_, err := table.Normalise(row)
		if err == nil {
			err = fn(row)
		}
		if err != nil {
			cancel() // what is left is not read
			rows.Close()
			return err
		}
	}
	_, err := rows.Close()
	return err
}

// reading is the expression that reads a column in its form.
func reading(c sqlstore.Column) string {
	switch c.Form {
	case sqlstore.Text, sqlstore.Document:
		return "CAST(" + c.Name + " AS TEXT)"
	case sqlstore.Documents, sqlstore.Texts:
		return "CAST(to_jsonb(" + c.Name + ") AS TEXT)"
	case sqlstore.Time:
		return "CAST(extract(epoch FROM " + c.Name + ") * 1000 AS BIGINT)"
	case sqlstore.Bits:
		return "CAST(" + c.Name + " AS INTEGER)"
	}
	return c.Name
}

// Finish sees to it that IDs go on after the last ones that were given out, by
// table, and opens the database to everybody. What was written is then on the
// disk.
func (t *Target) Finish(ctx context.Context, last map[string]int64) error {
	// Without knowing how much there is, the server chooses bad plans.
	if _, err := t.conn.Exec(ctx, "ANALYZE"); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, t.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL synchronous_commit = on"); err != nil {
			return err
		}
		for table, id := range last {
			if id == 0 {
				continue
			}
			if _, err := tx.Exec(ctx, `SELECT setval(CASE $1 WHEN 'contact' THEN 'contact_id' WHEN 'consent' THEN 'consent_number'
				ELSE pg_get_serial_sequence($1, 'id') END, $2)`, table, id); err != nil {
				return fmt.Errorf("set the IDs of %s: %w", table, err)
			}
		}
		_, err := tx.Exec(ctx, "DROP TABLE copy_progress")
		return err
	})
}
