package db

import (
	"sync"
	"time"
)

// estimates caches estimates for a minute. A plan does not need the latest count, and clients often repeat
// a search. Several goroutines can use the cache at the same time.
type estimates struct {
	mu  sync.Mutex
	all map[string]estimate // the key is the result of cacheKey
}

type estimate struct {
	count int64
	known bool // count is exact; false: at least count Contacts match
	until time.Time
}

const maxEstimates = 1000 // entries; when the cache is full, the method Remember first removes all entries

const maxEstimateKey = 2000 // bytes; an estimate with a longer key is not cached

// Recall returns a cached estimate and whether it is exact. If the cache has no estimate with this key, it
// returns 0 and false.
func (c *estimates) Recall(key string) (count int64, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.all[key]
	if !ok || time.Now().After(found.until) {
		return 0, false
	}
	return found.count, found.known
}

// Remember adds an estimate to the cache. known is true if count is exact.
func (c *estimates) Remember(key string, count int64, known bool) {
	if len(key) > maxEstimateKey {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) >= maxEstimates || c.all == nil {
		c.all = make(map[string]estimate)
	}
	c.all[key] = estimate{count, known, time.Now().Add(time.Minute)}
}
