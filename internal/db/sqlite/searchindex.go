package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// This file builds and drops SearchIndexes in SQLite. search/index.go stores the
// definitions of SearchIndexes. Package advisor calls the methods of this file.

// BuildIndex implements db.Engine. It uses the writer's connection for about 0.6 s for each
// million Contacts in the file. During this time no other function can write. Functions that only
// read do not wait. BuildIndex runs in a separate transaction, so that a cancelled ctx rolls back
// only the index.
//
// The store never runs ANALYZE. The statistics of ANALYZE are an average over all Lists. With them,
// SQLite would choose the wrong index for a large List in a database with many small Lists.
// Instead, searches name the index to use (search/planner).
func (s *Store) BuildIndex(ctx context.Context, id enlist.SearchIndexID, list enlist.ListID,
	k *enlist.SearchKey) (bytes int64, err error) {
	if k.Parts {
		return 0, errors.New("SQLite has no indexes for parts of texts")
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close() // returns the connection to the pool
	create := "CREATE INDEX IF NOT EXISTS " + search.IndexName(id) + " ON " + search.IndexOn(Dialect, "contact", list,
		k)
	if bytes, err = changeInFiles(ctx, conn, create); err != nil && ctx.Err() == nil {
		// Perhaps the machine has no directory for temporary files. SQLite then sorts in memory.
		bytes, err = change(ctx, conn, create)
	}
	if err != nil {
		return 0, fmt.Errorf("create index: %w", err)
	}
	return bytes, nil
}

// changeInFiles runs the function change with a setting that makes SQLite sort in temporary files.
// Sorting ten million Contacts in memory would take a gigabyte and would not be faster.
func changeInFiles(ctx context.Context, conn *sql.Conn, statement string) (bytes int64, err error) {
	if _, err := conn.ExecContext(ctx, "PRAGMA temp_store = FILE"); err != nil {
		return 0, err
	}
	bytes, err = change(ctx, conn, statement)
	_, restored := conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA temp_store = MEMORY")
	return bytes, errors.Join(err, restored)
}

// DropIndex implements db.Engine.
func (s *Store) DropIndex(ctx context.Context, id enlist.SearchIndexID) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := change(ctx, conn, "DROP INDEX IF EXISTS "+search.IndexName(id)); err != nil {
		return fmt.Errorf("drop index: %w", err)
	}
	return nil
}

// change runs a statement in a transaction. It returns the number of bytes by which the used part
// of the file has grown.
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

// FindsParts implements db.Engine. SQLite reads the index of the key instead (planner.Path.Covering).
func (s *Store) FindsParts() bool { return false }

// BuiltIndexes implements db.Engine. SQLite builds an index in one transaction, so every
// index in the file is complete. BuiltIndexes does not return the sizes of the indexes.
func (s *Store) BuiltIndexes(ctx context.Context) (built []enlist.BuiltIndex, err error) {
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
	err = db.EachRow(rows, func(row *db.Cursor) error {
		if id := search.IndexID(row.Text()); id != 0 {
			built = append(built, enlist.BuiltIndex{ID: id, Good: true})
		}
		return nil
	})
	return built, err
}
