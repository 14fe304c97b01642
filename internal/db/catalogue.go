package db

import (
	"sync"
	"time"

	"enlist/internal/enlist"
)

// This file caches the catalogue, which is the definitions of Accounts, keys, sending domains and Lists. Nearly every
// call reads these definitions, and few calls change them.

// Cache contains the Accounts, keys, sending domains and schemas of the newest version of the catalogue that this
// process has read. The database stores the version as one number. A process that changes an
// Account, a key or the definition of a List raises this number. Each transaction reads the number
// once.
type Cache struct {
	mu     sync.Mutex
	newest *Snapshot

	estimates estimates // row counts for the search planner
}

// Snapshot contains definitions of one version of the catalogue: those that transactions have read
// so far. The cache has only snapshots of committed versions. A transaction that has changed the
// catalogue uses a private snapshot.
type Snapshot struct {
	version  int64
	mu       sync.RWMutex
	Accounts map[enlist.AccountID]*enlist.Account
	Keys     map[enlist.KeyHash]*enlist.Key
	Schemas  map[enlist.ListID]*enlist.Schema
	Lists    map[enlist.AccountID]*[]enlist.List // without their Contacts
	Signing  map[string]*enlist.SigningKey       // by domain; nil if no Account has the domain
	Domains  map[enlist.AccountID]*[]string
}

// Version returns the version of the catalogue.
func (s *Snapshot) Version() int64 { return s.version }

func newSnapshot(version int64) *Snapshot {
	return &Snapshot{
		version:  version,
		Accounts: make(map[enlist.AccountID]*enlist.Account),
		Keys:     make(map[enlist.KeyHash]*enlist.Key),
		Schemas:  make(map[enlist.ListID]*enlist.Schema),
		Lists:    make(map[enlist.AccountID]*[]enlist.List),
		Signing:  make(map[string]*enlist.SigningKey),
		Domains:  make(map[enlist.AccountID]*[]string),
	}
}

// at returns the snapshot of a version. Transactions that see the newest version share one snapshot. A
// transaction that started before a change sees an older version and gets a private snapshot.
func (c *Cache) at(version int64) *Snapshot {
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

// Forget removes the snapshot if it is newer than the database. The argument version is the version
// that the database has. The snapshot can be newer after a failover to a standby that does not have
// the latest transactions.
func (c *Cache) Forget(version int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.newest != nil && c.newest.version > version {
		c.newest = nil
	}
}

// Newest returns the newest version that this process has read, or 0 before the first read.
func (c *Cache) Newest() int64 { return c.last().version }

// Schema returns a List's schema. It returns false if the newest snapshot does not have this schema.
// It does not read the database.
func (c *Cache) Schema(id enlist.ListID) (*enlist.Schema, bool) {
	s := c.last()
	s.mu.RLock()
	defer s.mu.RUnlock()
	schema, known := s.Schemas[id]
	return schema, known
}

// Key returns a key and its Account. It returns false if the newest snapshot does not have both. It
// does not read the database.
func (c *Cache) Key(hash enlist.KeyHash) (*enlist.Key, *enlist.Account, bool) {
	s := c.last()
	s.mu.RLock()
	defer s.mu.RUnlock()
	key := s.Keys[hash]
	if key == nil {
		return nil, nil, false
	}
	account := s.Accounts[key.AccountID]
	return key, account, account != nil
}

// SigningKey returns the key of a sending domain, or nil if no Account has this domain. It returns false if the newest
// snapshot does not have the answer. It does not read the database.
func (c *Cache) SigningKey(domain string) (*enlist.SigningKey, bool) {
	s := c.last()
	s.mu.RLock()
	defer s.mu.RUnlock()
	key, known := s.Signing[domain]
	return key, known
}

// last returns the newest snapshot, or an empty one before the first read.
func (c *Cache) last() *Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.newest == nil {
		return newSnapshot(0)
	}
	return c.newest
}

// Catalogue returns the snapshot that this transaction sees.
func (t *Tx) Catalogue() (*Snapshot, error) {
	if t.session.current == nil && t.session.changes > 0 {
		t.session.current = newSnapshot(0)
	}
	if t.session.current == nil {
		version, err := t.Number("SELECT version FROM catalogue")
		if err != nil {
			return nil, err
		}
		t.session.current = t.session.cache.at(version)
	}
	return t.session.current, nil
}

// Changed raises the catalogue's version. Call it before each change of the catalogue. It waits until
// no other transaction writes: another transaction that writes uses the definitions that it has read,
// so they must not change before that other transaction commits. After Changed, all functions of this transaction read
// the definitions from the database.
//
// A version is the time in microseconds. A failover can lose the latest version. If the
// version were a counter, the next change after that failover would get the lost number again, for
// other definitions. The clock does not repeat a number.
func (t *Tx) Changed() error {
	if err := t.LockDefinitions(); err != nil {
		return err
	}
	t.session.changes++
	t.session.current = newSnapshot(0)
	const raise = "UPDATE catalogue SET version = CASE WHEN version < ?1 THEN ?1 ELSE version + 1 END"
	return t.Do(raise, time.Now().UnixMicro())
}

// Define runs a statement that changes a definition.
func (t *Tx) Define(statement string, args ...any) error {
	if err := t.Changed(); err != nil {
		return err
	}
	return t.Do(statement, args...)
}

// Cached returns the value of key. If the snapshot has no such value, Cached calls read and adds the
// result to the snapshot. Two goroutines can call read for the same key at the same time. Both then
// get equal results.
func Cached[K comparable, V any](s *Snapshot, in map[K]*V, key K, read func() (*V, error)) (*V, error) {
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
