package sqlstore

import (
	"sync"
	"time"

	"enlist/internal/audience"
)

// Cache keeps accounts, keys and schemas of one version of the catalogue. The
// version is one number in the database, raised by every change to any of
// them, whichever process makes it; every transaction looks at it once.
type Cache struct {
	mu     sync.Mutex
	newest *snapshot

	estimates estimates // for the plans of searches
}

// snapshot is what has been read of one version. Versions in the cache are
// committed ones: a transaction that has changed the catalogue reads into a
// snapshot of its own, which nobody else sees.
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

// at returns the shared snapshot of a version, or for one that is older than
// the newest (a reader that began before a change) a new one for it alone.
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

// Forget forgets versions that are newer than the one that the database turns out
// to be at: they were lost.
func (c *Cache) Forget(version int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.newest != nil && c.newest.version > version {
		c.newest = nil
	}
}

// KnownSchema returns a List if the newest version that was read has it.
func (c *Cache) KnownSchema(id audience.ListID) (*audience.Schema, bool) {
	s := c.last()
	if s == nil {
		return nil, false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	schema, known := s.schemas[id]
	return schema, known
}

// Newest returns the newest version that was read, 0 when none was.
func (c *Cache) Newest() int64 {
	if s := c.last(); s != nil {
		return s.version
	}
	return 0
}

func (c *Cache) last() *snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.newest
}

// Known returns a key and its Account if the newest version that was read has both.
func (c *Cache) Known(hash audience.KeyHash) (*audience.Key, *audience.Account, bool) {
	s := c.last()
	if s == nil {
		return nil, nil, false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	key := s.keys[hash]
	if key == nil {
		return nil, nil, false
	}
	account := s.accounts[key.AccountID]
	return key, account, account != nil
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

// changed notes that the transaction changes the catalogue: later reads of it,
// also by the functions that follow in the group, go to the database. While it
// does nobody else writes, so that what others have seen of it stays true until
// they commit. Versions are taken from the clock, so that one which was lost in a
// failover, to a standby that did not have it yet, does not come again with
// another content.
func (t *Tx) changed() error {
	if err := t.LockDefinitions(); err != nil {
		return err
	}
	t.session.changes++
	t.session.current = newSnapshot(0)
	return t.conn.Do("UPDATE catalogue SET version = CASE WHEN version < ?1 THEN ?1 ELSE version + 1 END", time.Now().UnixMicro())
}

// cached returns what a snapshot holds under a key, reading it the first time.
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
