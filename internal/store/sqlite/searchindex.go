package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"
)

// BuildIndex implements audience.Store. It has the writer's connection for itself
// for as long as it takes, some 0.6 s for each million Contacts that the file
// holds; readers go on. Its transaction is its own, so that it can be broken off.
//
// There is no ANALYZE here or anywhere: of a List's size SQLite can only know the
// average of all Lists, and with that it takes the List's own index for the better
// one wherever a large List is among small ones. Searches name the index they want.
func (s *Store) BuildIndex(ctx context.Context, id audience.SearchIndexID, list audience.ListID, k *audience.SearchKey) (bytes int64, err error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close() // only gives it back
	create := "CREATE INDEX IF NOT EXISTS " + sqlstore.IndexName(id) + " ON " + Dialect.IndexOn("contact", list, k)
	if bytes, err = changeInFiles(ctx, conn, create); err != nil && ctx.Err() == nil {
		bytes, err = change(ctx, conn, create) // there may be no folder for them
	}
	if err != nil {
		return 0, fmt.Errorf("create index: %w", err)
	}
	return bytes, nil
}

// changeInFiles is change with what has to be sorted in temporary files: in memory
// that would take a gigabyte for ten million Contacts, and is no faster.
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

// change runs a statement in a transaction and says by how much more of the file
// is in use then.
func change(ctx context.Context, conn *sql.Conn, statement string) (bytes int64, err error) {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() // does nothing after a commit
	const used = "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
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

// BuiltIndexes implements audience.Store. SQLite has an index whole or not at all,
// and does not say how large it is.
func (s *Store) BuiltIndexes(ctx context.Context) (built []audience.BuiltIndex, err error) {
	c, err := s.readers.take()
	if err != nil {
		return nil, err
	}
	defer s.readers.give(c)
	rows, err := c.session.Query(ctx, "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'contact' AND name GLOB 'search_[0-9]*' ORDER BY CAST(substr(name, 8) AS INTEGER)")
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
