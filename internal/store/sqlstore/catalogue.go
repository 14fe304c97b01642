package sqlstore

// This file caches the catalogue: the definitions that nearly every call reads and few change.

import (
	"sync"
	"time"

	"enlist/internal/audience"
)

// Cache holds the Accounts, keys and schemas of the newest version of the catalogue that this
// process has read. The database stores the version as one number. Every change of an Account,
// a key or a List's definition raises it, in any process. Each transaction reads it once.
type Cache struct {
	mu     sync.Mutex
	newest *snapshot

	estimates estimates // row counts for the search planner
}

// snapshot holds the definitions of one version that were read so far. The cache contains
// only committed versions. A transaction that has changed the catalogue uses a private one.
type snapshot struct {
	version  int64
	mu       sync.RWMutex
	accounts map[audience.AccountID]*audience.Account
	keys     map[audience.KeyHash]*audience.Key
	schemas  map[audience.ListID]*audience.Schema
}

func newSnapshot(version int64) *snapshot {
	return &snapshot{
		version:  version,
		accounts: make(map[audience.AccountID]*audience.Account),
		keys:     make(map[audience.KeyHash]*audience.Key),
		schemas:  make(map[audience.ListID]*audience.Schema),
	}
}

// at returns the shared snapshot of the newest version. A transaction that started before
// a change sees an older version, and gets a private snapshot.
func (c *Cache) at(version int64) *snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.newest == nil || c.newest.version < version:
		c.newest = newSnapshot(version)
	case c.newest.version > version:
		return newSnapshot(version)
	}
	return c.newest
}

// Forget removes a version newer than the one that the database has. A failover to a
// standby without the latest transactions can lose a version.
func (c *Cache) Forget(version int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.newest != nil && c.newest.version > version {
		c.newest = nil
	}
}

// Newest returns the newest version that was read, or 0 before the first read.
func (c *Cache) Newest() int64 { return c.last().version }

// Schema returns a List's schema if the newest snapshot has it. It does not read the database.
func (c *Cache) Schema(id audience.ListID) (*audience.Schema, bool) {
	s := c.last()
	s.mu.RLock()
	defer s.mu.RUnlock()
	schema, known := s.schemas[id]
	return schema, known
}

// Key returns a key and its Account if the newest snapshot has both. It does not read the database.
func (c *Cache) Key(hash audience.KeyHash) (*audience.Key, *audience.Account, bool) {
	s := c.last()
	s.mu.RLock()
	defer s.mu.RUnlock()
	key := s.keys[hash]
	if key == nil {
		return nil, nil, false
	}
	account := s.accounts[key.AccountID]
	return key, account, account != nil
}

// last returns the newest snapshot, or an empty one before the first read.
func (c *Cache) last() *snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.newest == nil {
		return newSnapshot(0)
	}
	return c.newest
}

// catalogue returns the snapshot that this transaction sees.
func (t *Tx) catalogue() (*snapshot, error) {
	if t.session.current == nil && t.session.changes > 0 {
		t.session.current = newSnapshot(0)
	}
	if t.session.current == nil {
		version, err := t.number("SELECT version FROM catalogue")
		if err != nil {
			return nil, err
		}
		t.session.current = t.session.cache.at(version)
	}
	return t.session.current, nil
}

// changed raises the catalogue's version and must precede each change of the catalogue. It
// locks out other writers, so that definitions which they have read stay valid until they
// commit. Later reads in this transaction, also by other functions, use the database.
//
// A version is the time in microseconds. After a failover that lost a version, a counter
// would give the same number to a different content; the clock does not.
func (t *Tx) changed() error {
	if err := t.LockDefinitions(); err != nil {
		return err
	}
	t.session.changes++
	t.session.current = newSnapshot(0)
	const raise = "UPDATE catalogue SET version = CASE WHEN version < ?1 THEN ?1 ELSE version + 1 END"
	return t.conn.Do(raise, time.Now().UnixMicro())
}

// define runs a statement that changes a definition.
func (t *Tx) define(statement string, args ...any) error {
	if err := t.changed(); err != nil {
		return err
	}
	return t.conn.Do(statement, args...)
}

// cached returns the value of key, and calls read to fill the snapshot if it is missing. Two
// goroutines may read the same value; both get equal ones.
func cached[K comparable, V any](s *snapshot, in map[K]*V, key K, read func() (*V, error)) (*V, error) {
	s.mu.RLock()
	v, ok := in[key]
	s.mu.RUnlock()
	if ok {
		return v, nil
	}
	v, err := read()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	in[key] = v
	s.mu.Unlock()
	return v, nil
}
