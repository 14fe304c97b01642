package postgres

import (
	"context"
	"fmt"

	"enlist/internal/enlist"
	"enlist/internal/search"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file builds and drops the SearchIndexes of PostgreSQL. search/index.go stores which
// SearchIndexes a List has, and package advisor calls the methods of this file.
//
// An index is on the partition that contains the rows of its List. PostgreSQL builds and drops
// the index CONCURRENTLY, so other transactions do not wait. The build itself waits for all
// transactions that began before it. If a build is interrupted, an invalid index remains.
// PostgreSQL updates this index but never reads it. The next build drops it first.

// BuildIndex implements db.Engine.
func (s *Store) BuildIndex(ctx context.Context, id enlist.SearchIndexID, list enlist.ListID,
	k *enlist.SearchKey) (bytes int64, err error) {
	name := search.IndexName(id)
	err = s.withIndex(ctx, id, func(conn *pgxpool.Conn) error {
		table, err := s.tableOf(ctx, conn, list)
		if err != nil {
			return fmt.Errorf("find the partition: %w", err)
		}
		on, err := s.indexOn(table, list, k)
		if err != nil {
			return err
		}
		if err := createIndex(ctx, conn, name, on); err != nil {
			return err
		}
		if err := s.sample(ctx, conn, name, table, k); err != nil {
			return err
		}
		built, err := s.indexSizes(ctx, conn)
		bytes = built[name]
		return err
	})
	return bytes, err
}

// tableOf returns the name of the table on which an index of a List is created: the partition of the
// List, or the distributed table. Citus creates the index on every shard, and it is empty on the
// shards of other Lists.
func (s *Store) tableOf(ctx context.Context, conn *pgxpool.Conn, list enlist.ListID) (string, error) {
	if s.distributed {
		return "contact", nil
	}
	var place int64
	err := conn.QueryRow(ctx, findPartition, int64(list)).Scan(&place)
	return partitionOf("contact", place), err
}

const (
	indexSizes = `SELECT relname::text, pg_relation_size(oid) FROM pg_class
		WHERE relnamespace = current_schema()::regnamespace AND relkind = 'i' AND relname ~ '^search_[0-9]+$'`
	// The name of a shard's index ends with the number of the shard.
	shardIndexSizes = `SELECT name, CAST(sum(CAST(bytes AS BIGINT)) AS BIGINT) FROM run_command_on_all_nodes($$
			SELECT coalesce(json_object_agg(name, bytes), '{}') FROM (
				SELECT substring(relname FROM '^search_[0-9]+') AS name, sum(pg_relation_size(oid)) AS bytes
				FROM pg_class WHERE relkind = 'i' AND relname ~ '^search_[0-9]+_[0-9]+$' GROUP BY 1) AS found
		$$) AS node, json_each_text(CAST(CASE WHEN success THEN result ELSE '{}' END AS JSON)) AS size (name, bytes)
		GROUP BY name`
)

// querier is a connection or a pool.
type querier interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}

// indexSizes returns the bytes of each search index, by its name. A server of a cluster that does
// not answer counts as 0.
func (s *Store) indexSizes(ctx context.Context, db querier) (map[string]int64, error) {
	query := indexSizes
	if s.distributed {
		query = shardIndexSizes
	}
	rows, err := db.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	sizes := make(map[string]int64)
	var name string
	var bytes int64
	_, err = pgx.ForEachRow(rows, []any{&name, &bytes}, func() error {
		sizes[name] = bytes
		return nil
	})
	return sizes, err
}

// createIndex creates an index, unless a valid index of this name exists. It first drops an invalid
// index of this name.
func createIndex(ctx context.Context, conn *pgxpool.Conn, name, on string) error {
	var there, good bool
	err := conn.QueryRow(ctx, `SELECT count(*) > 0, coalesce(bool_and(indisvalid), false)
		FROM pg_index WHERE indexrelid = to_regclass($1)`, name).Scan(&there, &good)
	switch {
	case err != nil:
		return fmt.Errorf("look for the index: %w", err)
	case good:
		return nil
	case there:
		if err := dropIndex(ctx, conn, name); err != nil {
			return err
		}
	}
	if _, err := conn.Exec(ctx, "CREATE INDEX CONCURRENTLY "+name+" ON "+on); err != nil {
		return fmt.Errorf("create index: %w", err)
	}
	return nil
}

// sample collects statistics of a key's values. PostgreSQL does not use the statistics of a partial
// index. Without extended statistics it estimates that each value matches one row in 200. With this
// wrong estimate, a search by two Fields with the results sorted by a third Field took 500 ms
// instead of 2 ms. Citus refuses statistics of an expression of a distributed table.
func (s *Store) sample(ctx context.Context, conn *pgxpool.Conn, name, table string, k *enlist.SearchKey) error {
	if of := search.Expression(dialect, k); of != k.Name && !s.distributed { // a plain column has statistics already
		if _, err := conn.Exec(ctx, "CREATE STATISTICS IF NOT EXISTS "+name+" ON ("+of+") FROM "+table); err != nil {
			return fmt.Errorf("create statistics: %w", err)
		}
	}
	if _, err := conn.Exec(ctx, "ANALYZE "+table); err != nil {
		return fmt.Errorf("analyze the partition: %w", err)
	}
	return nil
}

// DropIndex implements db.Engine.
func (s *Store) DropIndex(ctx context.Context, id enlist.SearchIndexID) error {
	return s.withIndex(ctx, id, func(conn *pgxpool.Conn) error { return dropIndex(ctx, conn, search.IndexName(id)) })
}

func dropIndex(ctx context.Context, conn *pgxpool.Conn, name string) error {
	for _, statement := range []string{"DROP INDEX CONCURRENTLY IF EXISTS ", "DROP STATISTICS IF EXISTS "} {
		if _, err := conn.Exec(ctx, statement+name); err != nil {
			return fmt.Errorf("drop index: %w", err)
		}
	}
	return nil
}

// withIndex runs do on a separate connection that has no time limits. Meanwhile it holds an advisory
// lock for the index. If another process is building or dropping the index, withIndex returns
// ErrIndexBusy. After a lost connection it runs do again.
func (s *Store) withIndex(ctx context.Context, id enlist.SearchIndexID, do func(*pgxpool.Conn) error) error {
	return retry(ctx, func() (again bool, err error) {
		err = s.onceWithIndex(ctx, id, do)
		return lost(err), err
	})
}

// onceWithIndex is withIndex without repetition.
func (s *Store) onceWithIndex(ctx context.Context, id enlist.SearchIndexID, do func(*pgxpool.Conn) error) error {
	pool, err := migratingPool(ctx, s.config, 0)
	if err != nil {
		return err
	}
	defer pool.Close()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return connectError(err)
	}
	defer conn.Release()
	const (
		lock   = "SELECT pg_try_advisory_lock(hashtextextended($1, 0))"
		unlock = "SELECT pg_advisory_unlock(hashtextextended($1, 0))"
	)
	var locked bool
	err = conn.QueryRow(ctx, lock, search.IndexName(id)).Scan(&locked)
	switch {
	case err != nil:
		return err
	case !locked:
		return enlist.ErrIndexBusy
	}
	// Without this statement PostgreSQL would keep the lock until it notices that the connection is
	// closed.
	defer conn.Exec(context.WithoutCancel(ctx), unlock, search.IndexName(id))
	return do(conn)
}

// BuiltIndexes implements db.Engine.
func (s *Store) BuiltIndexes(ctx context.Context) (built []enlist.BuiltIndex, err error) {
	sizes, err := s.indexSizes(ctx, s.jobs)
	if err != nil {
		return nil, err
	}
	rows, err := s.jobs.Query(ctx, `SELECT relname, indisvalid
		FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
		WHERE relnamespace = current_schema()::regnamespace AND relname ~ '^search_[0-9]+$'
		ORDER BY substring(relname FROM 8)::numeric`)
	if err != nil {
		return nil, err
	}
	var name string
	var b enlist.BuiltIndex
	_, err = pgx.ForEachRow(rows, []any{&name, &b.Good}, func() error {
		b.ID, b.Bytes = search.IndexID(name), sizes[name]
		if b.ID != 0 {
			built = append(built, b)
		}
		return nil
	})
	return built, err
}
