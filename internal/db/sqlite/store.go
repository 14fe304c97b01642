// Package sqlite implements db.Engine on one SQLite file. It opens connections, runs
// transactions and applies migrations. The packages of the subjects have the SQL
// statements of the transactions.
//
// The writer runs the functions of all Updates, one transaction after another. It runs several functions in one
// transaction, so that one commit stores all their changes. Functions that only read use a pool of
// connections, and each function reads its own snapshot (WAL mode). A second process can use the
// same file at the same time. The SQLite driver is mattn/go-sqlite3 in builds with cgo, and
// modernc.org/sqlite in builds without cgo. Code that depends on the driver is only in
// driver_cgo.go and driver_nocgo.go.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/jobqueue"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
)

// Options configure a Store. A zero value selects the default.
type Options struct {
	Searches   int           // largest number of concurrent calls of Search; default: 8
	SearchTime time.Duration // longest duration of a call of Search; default: 1 minute
	Streams    int           // largest number of concurrent calls of Stream; default: 8
	Wait       time.Duration // longest wait for a connection in Search and Stream; default: 5 s
	WALLimit   int64         // size of the write-ahead log in bytes at which long reads end; default: 1 GiB
	Log        *slog.Logger  // default: no log

	Trace func(statement string) // is called with each statement; nil: nothing is

	ExternalCheckpoints bool // another program, such as Litestream, copies the write-ahead log into the file
	// Unsynced means that commits do not wait for the disk. It is for a new file that is useless if it is incomplete.
	Unsynced bool
}

// viewTime is the longest duration of a call of View. A look-up that takes so long would make other
// look-ups wait.
const viewTime = 10 * time.Second

// Store is an db.Engine on one SQLite file.
type Store struct {
	files    *files
	damage   *damage
	presence *presence
	db       *sql.DB
	cache    *db.Cache
	writer   *writer
	readers  *readers
	searches *readers // not the same pool as readers, so that searches never delay look-ups
	streams  *readers

	workers *jobqueue.Workers
	version *versionConn
	*db.Looks
}

// Open opens the database at path and applies pending migrations. If the file does not exist, Open
// creates it. Only the owner of a new file can read it.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	files, err := filesOf(path)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	seen := &damage{db.Damage{Log: o.Log}}
	reads := &connector{path: path, files: files, damage: seen, trace: o.Trace}
	writes := sql.OpenDB(&connector{path: path, files: files, damage: seen, writer: true, ownFile: true,
		external: o.ExternalCheckpoints, unsynced: o.Unsynced, trace: o.Trace})
	writes.SetMaxOpenConns(1)
	if err := writes.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), writes.Close())
	}
	s := &Store{files: files, damage: seen, presence: newPresence(files), db: writes, workers: new(jobqueue.Workers),
		version: &versionConn{connector: reads}}
	s.Looks = db.NewLooks(s.version.read)
	if err := s.open(ctx, reads, o); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), writes.Close())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, reads *connector, o Options) error {
	if err := migrate(ctx, s.db, o.Log); err != nil {
		return err
	}
	jobs, err := river.NewClient(riversqlite.New(s.db), &river.Config{Logger: o.Log})
	if err != nil {
		return fmt.Errorf("open job queue: %w", err)
	}
	wait := cmp.Or(o.Wait, 5*time.Second)
	s.cache = new(db.Cache)
	s.readers = newReaders(reads, s.cache, max(8, 4*runtime.GOMAXPROCS(0)), 0, viewTime)
	s.searches = newReaders(reads, s.cache, cmp.Or(o.Searches, 8), wait, cmp.Or(o.SearchTime, time.Minute))
	s.streams = newReaders(reads, s.cache, cmp.Or(o.Streams, 8), wait, 0)
	s.searches.tracked, s.streams.tracked = true, true
	s.writer = newWriter(s.db, s.cache, jobs, s.workers, &walLimiter{limit: cmp.Or(o.WALLimit, 1<<30),
		pause: walPause, external: o.ExternalCheckpoints,
		pools: []*readers{s.searches, s.streams}, log: o.Log})
	return nil
}

// View implements db.Engine.
func (s *Store) View(ctx context.Context, fn func(*db.Tx) error) error {
	return s.readers.view(ctx, fn)
}

// UpdateInBatch implements db.Engine. The writer runs all functions that wait in one transaction anyway.
func (s *Store) UpdateInBatch(ctx context.Context, _ db.Address, fn func(*db.Tx) error) error {
	return s.Update(ctx, fn)
}

// Search implements db.Engine.
func (s *Store) Search(ctx context.Context, fn func(*db.Tx) error) error {
	return s.searches.viewAgain(ctx, fn)
}

// Cache implements db.Engine.
func (s *Store) Cache() *db.Cache { return s.cache }

// Stream implements db.Engine.
func (s *Store) Stream(ctx context.Context, fn func(*db.Tx) error) error {
	return s.streams.view(ctx, fn)
}

// ViewPrimary implements db.Engine.
func (s *Store) ViewPrimary(ctx context.Context, fn func(*db.Tx) error) error {
	return s.streams.viewAgain(ctx, fn)
}

// Update implements db.Engine.
func (s *Store) Update(ctx context.Context, fn func(*db.Tx) error) error {
	return s.writer.do(ctx, fn)
}

// Ready implements db.Engine. It runs one read transaction, and one transaction that writes to the
// disk.
func (s *Store) Ready(ctx context.Context) error {
	err := s.damage.check()
	if err == nil {
		err = s.View(ctx, db.ProbeRead)
	}
	if err == nil {
		err = s.Update(ctx, db.ProbeWrite)
	}
	if IsFull(err) {
		err = fmt.Errorf("%w (%w)", db.ErrFull, err)
	}
	return err
}

// FreeSpace implements db.Engine. It returns the space for users without special rights.
func (s *Store) FreeSpace() (bytes int64, known bool) {
	bytes, _, known = DiskSpace(filepath.Dir(s.files.main.path))
	return bytes, known
}

// Close first runs the functions of Update that are in the queue. Then it closes all connections.
func (s *Store) Close() error {
	s.writer.close()
	return errors.Join(s.presence.close(), s.version.close(), s.readers.close(), s.searches.close(), s.streams.close(), s.db.Close())
}

// makePrivate creates the file with mode 0600 if it does not exist. SQLite creates the -wal and -shm
// files with the mode of the database file.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	return f.Close()
}
