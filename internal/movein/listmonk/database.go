package listmonk

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/movein"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Scheme is the scheme of a URL of a database of listmonk. The rest is as in a URL with the scheme postgres.
const Scheme = "listmonk-postgres"

// Database is a database of listmonk. It is no longer usable after an error of the connection.
type Database struct {
	conn     *pgx.Conn
	factor   int64
	fields   map[int64]*listFields // by list
	problems []movein.Problem

	uploads     *os.Root // the folder with the files; nil: they are read by their URLs
	downloads   *movein.Downloads
	unreachable error // why a host that files are read from does not answer
}

// Open connects to a database and checks that its tables can be read. password replaces the one in the URL, if it is
// not empty.
func Open(ctx context.Context, url, password string) (*Database, error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	if password != "" {
		config.Password = password
	}
	config.RuntimeParams["default_transaction_read_only"] = "on"
	config.RuntimeParams["application_name"] = "enlist migrate"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, explainConnect(config, err)
	}
	d := &Database{conn: conn, fields: make(map[int64]*listFields), downloads: movein.NewDownloads()}
	if err := d.check(ctx); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// Close ends the connection.
func (d *Database) Close() error {
	err := d.conn.Close(context.Background())
	if d.uploads != nil {
		err = errors.Join(err, d.uploads.Close())
	}
	return err
}

// Name returns the URL of a database without user, password and options.
func Name(url string) (string, error) {
	config, err := parse(url)
	if err != nil {
		return "", err
	}
	return Scheme + "://" + net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port))) + "/" + config.Database, nil
}

func parse(url string) (*pgx.ConnConfig, error) {
	const form = Scheme + "://USER@HOST:5432/DATABASE"
	rest, ok := strings.CutPrefix(url, Scheme+"://")
	if !ok {
		return nil, errors.New("expected a URL like " + form)
	}
	config, err := pgx.ParseConfig("postgres://" + rest)
	if err != nil { // its text contains the URL, which may have a password
		return nil, errors.New("the URL of listmonk's database is not valid: expected one like " + form)
	}
	if config.Database == "" {
		return nil, errors.New("the URL of listmonk's database names no database: expected one like " + form)
	}
	return config, nil
}

// explainConnect says what an operator can do after a connection has failed.
func explainConnect(config *pgx.ConnConfig, err error) error {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch refused.Code {
		case "28P01", "28000":
			return fmt.Errorf("listmonk's PostgreSQL server refuses the role %q: give its password in the environment variable "+
				"ENLIST_KEY or with --key-file: %s", config.User, refused.Message)
		case "3D000":
			return fmt.Errorf("listmonk's PostgreSQL server has no database %q: check --from", config.Database)
		}
	}
	return fmt.Errorf("connect to listmonk's PostgreSQL server %s:%d: %w", config.Host, config.Port, err)
}

// columns are the columns that are read, by table.
var columns = []struct{ table, names string }{
	{"settings", "key value"},
	{"lists", "id name type optin status description created_at updated_at"},
	{"subscribers", "id uuid email name attribs status created_at updated_at"},
	{"subscriber_lists", "subscriber_id list_id meta status created_at updated_at"},
	{"templates", "id name type subject body created_at updated_at"},
	{"campaigns", "id name subject from_email body altbody content_type send_at headers status messenger template_id " +
		"created_at updated_at"},
	{"media", "id provider filename content_type created_at"},
	{"campaign_media", "campaign_id media_id filename"},
	{"bounces", "subscriber_id type created_at"},
}

// check refuses a database whose tables are missing, have other columns, or must not be read.
func (d *Database) check(ctx context.Context) error {
	for _, c := range columns {
		var exists, readable bool
		var missing string
		err := d.conn.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL,
			coalesce(has_table_privilege(to_regclass($1)::oid, 'SELECT'), false),
			coalesce((SELECT min(name) FROM unnest($2::text[]) AS wanted (name) WHERE NOT EXISTS (SELECT 1 FROM pg_attribute
				WHERE attrelid = to_regclass($1) AND attname = name AND NOT attisdropped)), '')`,
			c.table, strings.Fields(c.names)).Scan(&exists, &readable, &missing)
		switch {
		case err != nil:
			return fmt.Errorf("look for listmonk's table %s: %w", c.table, err)
		case !exists:
			return fmt.Errorf("the database %q has no table %s: give the URL of the database of listmonk v2.5 or later",
				d.conn.Config().Database, c.table)
		case !readable:
			return fmt.Errorf("the role %q has no right to read the table %s: as its owner, execute "+
				"GRANT SELECT ON ALL TABLES IN SCHEMA public TO %s", d.conn.Config().User, c.table,
				pgx.Identifier{d.conn.Config().User}.Sanitize())
		case missing != "":
			return fmt.Errorf("listmonk's table %s has no column %s (its schema is %s): upgrade listmonk to v2.5 or later",
				c.table, missing, d.version(ctx))
		}
	}
	return nil
}

// version returns the version of the schema as listmonk has stored it, for an error text.
func (d *Database) version(ctx context.Context) (version string) {
	err := d.conn.QueryRow(ctx, "SELECT coalesce((SELECT value->>-1 FROM settings WHERE key = 'migrations'), 'unknown')").
		Scan(&version)
	if err != nil {
		return "unknown"
	}
	return version
}

// refuse adds something that is not moved.
func (d *Database) refuse(p movein.Problem) { d.problems = append(d.problems, p) }

// Problems implements movein.Source.
func (d *Database) Problems() []movein.Problem {
	found := d.problems
	d.problems = nil
	return found
}

// each calls fn for each row of a query.
func (d *Database) each(ctx context.Context, what string, fn func(row pgx.CollectableRow) error, query string,
	args ...any) error {
	rows, err := d.conn.Query(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("read listmonk's %s: %w", what, err)
	}
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) { return struct{}{}, fn(row) })
	if err != nil {
		return fmt.Errorf("read listmonk's %s: %w", what, err)
	}
	return nil
}

// records returns the rows of a query as records: the names of the columns are the keys.
func (d *Database) records(ctx context.Context, what, query string, args ...any) (all []movein.Record, err error) {
	err = d.each(ctx, what, func(row pgx.CollectableRow) error {
		values, err := row.Values()
		record := make(movein.Record, len(values))
		for i, column := range row.FieldDescriptions() {
			switch v := values[i].(type) {
			case bool:
				record[i] = flag(column.Name, v)
			case string:
				record[i] = text(column.Name, v)
			case int32:
				record[i] = number(column.Name, int64(v))
			case int64:
				record[i] = number(column.Name, v)
			default:
				return fmt.Errorf("the column %s is of the type %T", column.Name, v)
			}
		}
		all = append(all, record)
		return err
	}, query, args...)
	return all, err
}

// seconds is an SQL expression for a time column as Unix time. A column without a value is 1970.
func seconds(column string) string { return "coalesce(extract(epoch FROM " + column + ")::bigint, 1)" }

// text, number and flag return a detail of a record.
func text(key, value string) enlist.Detail {
	return enlist.Detail{Key: key, Value: enlist.TextInput(value)}
}

func number(key string, n int64) enlist.Detail {
	return enlist.Detail{Key: key, Value: enlist.Input{Kind: enlist.InputNumber, Text: strconv.FormatInt(n, 10)}}
}

func flag(key string, is bool) enlist.Detail {
	kind := enlist.InputFalse
	if is {
		kind = enlist.InputTrue
	}
	return enlist.Detail{Key: key, Value: enlist.Input{Kind: kind}}
}
