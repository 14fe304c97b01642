package sqlite

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"enlist/internal/enlist"
)

// This file limits the size of the write-ahead log (WAL).
//
// SQLite writes at the beginning of the log again only when all its content is in the database file and no
// transaction reads from the log. Transactions that overlap all the time prevent this, and the log grows
// until the disk is full. So after a commit the writer does two things. If the log has grown beyond its
// usual size, the writer waits a moment for short reads to end, and then starts the log over. If the log
// reaches its limit, the writer first ends the transactions of long replies and of searches, the oldest
// first. A client of a long reply sees incomplete JSON and a closed connection. A search starts again.

const (
	// walUsual is the size in bytes that the log exceeds only if reads prevent it from starting over. It is
	// twice the size after which SQLite copies the log into the database file (wal_autocheckpoint).
	walUsual = 128 << 20

	// walPause is the time between two attempts to start the log over. In an attempt the writer waits for
	// readers for at most 50 ms (restartBusy).
	walPause = time.Second

	// walQuiet is the time between two log messages about a log that cannot start over.
	walQuiet = time.Minute

	restartBusy = "PRAGMA busy_timeout = 50"
	restart     = "PRAGMA wal_checkpoint(TRUNCATE)"
)

// errBrokenOff is the error of a transaction that the writer has ended.
var errBrokenOff = enlist.Refuse(enlist.Busy,
	"the reply was broken off, because changes have filled the write-ahead log meanwhile; try again")

// walLimiter starts the log over. Only the writer's goroutine uses it, except for the counter.
type walLimiter struct {
	limit     int64      // in bytes
	pools     []*readers // the transactions that may be ended
	log       *slog.Logger
	external  bool          // another program starts the log over
	pause     time.Duration // walPause; shorter in tests
	next      time.Time     // no attempt before this time
	quiet     time.Time     // no message before this time
	brokenOff atomic.Int64  // long replies and searches that were ended
}

// due reports whether the log is so large that start should be called.
func (w *walLimiter) due(size int64) bool {
	return !w.external && size >= min(walUsual, w.limit) && !time.Now().Before(w.next)
}

// start tries to start the log over. size is the size of the log, and c the writer's connection.
func (w *walLimiter) start(c *dbConn, size int64) {
	defer func() { w.next = time.Now().Add(w.pause) }()
	var long []*reading // a shorter read ends while the writer waits in restartLog
	for _, pool := range w.pools {
		long = append(long, pool.startedBefore(time.Now().Add(-w.pause/20))...)
	}
	if len(long) == 0 && c.restartLog() || size < w.limit {
		return
	}
	slices.SortFunc(long, func(a, b *reading) int { return a.since.Compare(b.since) })
	ended := int64(0)
	for _, r := range long {
		if r.breakOff() {
			ended++
		}
		if c.restartLog() {
			break
		}
	}
	w.brokenOff.Add(ended)
	if time.Now().After(w.quiet) {
		w.quiet = time.Now().Add(walQuiet)
		w.log.Warn("the write-ahead log reached its limit: long replies and searches were broken off; "+
			"if there were none, another process reads the database", "bytes", size, "broken_off", ended)
	}
}

// restartLog copies the log into the database file and empties the log. It returns false if another
// transaction still reads from the log.
func (c *dbConn) restartLog() bool {
	if err := c.exec(restartBusy); err != nil {
		return false
	}
	c.busyTimeout = true // begin turns it off again
	rows, err := c.session.Query(context.Background(), restart)
	if err != nil {
		return false
	}
	row, err := rows.Next()
	done := err == nil && row[0] == int64(0) // the first column is 1 if the log is in use
	return errors.Join(err, rows.Close()) == nil && done
}

// scrubTime is the longest time that Scrub waits for reads to end.
const scrubTime = 10 * time.Second

// Scrub implements db.Engine. Deleted rows become zeros in the pages that a transaction writes
// (secure_delete), but the log still has earlier versions of the pages, and the file has them until the log is copied
// into it. So Scrub copies the log and empties it. If another program copies the log, Scrub does nothing.
func (s *Store) Scrub(ctx context.Context) error {
	if s.writer.wal.external {
		return nil
	}
	for end := time.Now().Add(scrubTime); ; {
		conn, err := s.db.Conn(ctx)
		if err != nil {
			return err
		}
		done := false
		err = conn.Raw(func(raw any) error { done = raw.(*dbConn).restartLog(); return nil })
		err = errors.Join(err, conn.Close())
		if err != nil || done {
			return err
		}
		if time.Now().After(end) {
			return enlist.Refuse(enlist.Busy, "everything was erased, but the write-ahead log still has it, because "+
				"a long read needs the log: do the same again later")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// WALBytes returns the size of the write-ahead log.
func (s *Store) WALBytes() int64 {
	info, err := os.Stat(s.files.walPath)
	if err != nil {
		return 0
	}
	return info.Size()
}

// BrokenOff returns the number of long replies and searches that were ended because the write-ahead log had
// reached its limit.
func (s *Store) BrokenOff() int64 { return s.writer.wal.brokenOff.Load() }
