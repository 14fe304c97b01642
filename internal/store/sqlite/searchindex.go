package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"
)

// This file builds and drops the SearchIndexes of SQLite. sqlstore/searchindex.go has
// their catalogue, and package indexadvisor calls these methods.

// BuildIndex implements audience.Store. It holds the writer's connection until it ends:
// some 0.6 s for each million Contacts in the file. Readers continue. It has a
// transaction of its own, so that a cancelled ctx undoes it without other changes.
//
// The store never runs ANALYZE. SQLite would only learn the average over all Lists, and
// would then choose the wrong index for a large List among small ones. Searches name
// their index instead (sqlstore/planner).
func (s *Store) BuildIndex(ctx context.Context, id audience.SearchIndexID, list audience.ListID,
	k *audience.SearchKey) (bytes int64, err error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close() // returns it to the pool
	create := "CREATE INDEX IF NOT EXISTS " + sqlstore.IndexName(id) + " ON " + Dialect.IndexOn("contact", list, k)
	if bytes, err = changeInFiles(ctx, conn, create); err != nil && ctx.Err() == nil {
		bytes, err = change(ctx, conn, create) // the machine may have no folder for temporary files
	}
	if err != nil {
		return 0, fmt.Errorf("create index: %w", err)
	}
	return bytes, nil
}

// changeInFiles is change with temporary files for sorting. Sorting ten million Contacts
// in memory would take a gigabyte and is no faster.
func changeInFiles(ctx context.Context, conn *sql.Conn, statement string) (bytes int64, err error) {
	if _, err := conn.ExecContext(ctx, "PRAGMA temp_store = FILE"); err != nil {
		return 0, err
	}
	bytes, err = change(ctx, conn, statement)
	_, restored := conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA temp_store = MEMORY")
	return bytes, errors.Join(err, restored)
}

// DropIndex implements audience.Store.
func (s *Store) DropIndex(ctx context.Context, id audience.SearchIndexID) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := change(ctx, conn, "DROP INDEX IF EXISTS "+sqlstore.IndexName(id)); err != nil {
		return fmt.Errorf("drop index: %w", err)
	}
	return nil
}

// change runs a statement in a transaction. It returns by how many bytes the used part
// of the file grew.
func change(ctx context.Context, conn *sql.Conn, statement string) (bytes int64, err error) {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() // does nothing after a commit
	const used = `SELECT (page_count - freelist_count) * page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
	var before, after int64
	if err := tx.QueryRowContext(ctx, used).Scan(&before); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, statement); err != nil {
		return 0, err
	}
	if err := tx.QueryRowContext(ctx, used).Scan(&after); err != nil {
		return 0, err
	}
	return after - before, tx.Commit()
}

// BuiltIndexes implements audience.Store. SQLite builds an index in one transaction, so
// every one is complete. It does not report their sizes.
func (s *Store) BuiltIndexes(ctx context.Context) (built []audience.BuiltIndex, err error) {
	c, err := s.readers.take()
	if err != nil {
		return nil, err
	}
	defer s.readers.give(c)
	rows, err := c.session.Query(ctx, `SELECT name FROM sqlite_schema
		WHERE type = 'index' AND tbl_name = 'contact' AND name GLOB 'search_[0-9]*'
		ORDER BY CAST(substr(name, 8) AS INTEGER)`)
	if err != nil {
		return nil, err
	}
	err = sqlstore.EachRow(rows, func(row *sqlstore.Cursor) error {
		if id := sqlstore.IndexID(row.Text()); id != 0 {
			built = append(built, audience.BuiltIndex{ID: id, Good: true})
		}
		return nil
	})
	return built, err
}
