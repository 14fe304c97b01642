package users

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"hash/maphash"
	"maps"
	"strconv"
	"sync"
	"time"

	"enlist/internal/limiter"
)

// This file limits the guesses of passwords, and locks no owner out: guesses count by the network from which they come.
// Only after many from all networks together does an address get no more tries, and then the devices in which its owner
// was signed in before still do, passkeys, and mailed links (AskPassword), which no other can use up. decisions.md: 146

const (
	triesTime = 15 * time.Minute

	maxTries   = 10      // for an address from a network, or from a device of its owner
	ofNetwork  = 100     // for all addresses from a network
	ofAddress  = 100     // for an address from all networks, without a device of its owner
	maxCounted = 100_000 // counters in memory, 5 MB
	sweepTime  = time.Minute
)

// tries counts the sign-ins that failed, in the memory of this process.
type tries struct {
	now  func() time.Time
	seed maphash.Seed

	mu     sync.Mutex
	counts map[uint64]count
	swept  time.Time // when the expired counters were last deleted
}

// count is a number of tries in a period of triesTime.
type count struct {
	since time.Time
	n     int
}

// limit is the largest number of tries with a key.
type limit struct {
	key  string
	most int
}

// limitsOf returns the limits of a sign-in, the one that ends with a good password first.
func limitsOf(isDevice bool, b Browser, emailKey string) []limit {
	if isDevice {
		return []limit{{"device\n" + b.Device, maxTries}}
	}
	network := networkOf(b.IP)
	return []limit{{"address\n" + emailKey + "\n" + network, maxTries}, {"network\n" + network, ofNetwork},
		{"all\n" + emailKey, ofAddress}}
}

// networkOf returns the network of an IP address. A text that is no address is its own.
func networkOf(ip string) string {
	_, network := limiter.Networks(ip)
	return cmp.Or(network, ip)
}

func newTries(now func() time.Time) *tries {
	return &tries{now: now, seed: maphash.MakeSeed(), counts: make(map[uint64]count)}
}

// begin counts a try and reports whether all limits allow it.
func (t *tries) begin(limits ...limit) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for _, l := range limits {
		if c := t.counts[t.hash(l.key)]; now.Sub(c.since) < triesTime && c.n >= l.most {
			return false
		}
	}
	for _, l := range limits {
		c := t.counts[t.hash(l.key)]
		if now.Sub(c.since) >= triesTime {
			t.forget(now)
			c = count{since: now}
		}
		c.n++
		t.counts[t.hash(l.key)] = c
	}
	return true
}

// succeed forgets the tries with the first of the limits, and this try with the others.
func (t *tries) succeed(limits ...limit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, l := range limits {
		c, ok := t.counts[t.hash(l.key)]
		if i == 0 || !ok || c.n <= 1 {
			delete(t.counts, t.hash(l.key))
			continue
		}
		c.n--
		t.counts[t.hash(l.key)] = c
	}
}

// forget makes space for one more counter. It looks for expired ones once in sweepTime, because a flood would look for
// each of its tries. If none has expired, an arbitrary one is lost. The caller holds t.mu.
func (t *tries) forget(now time.Time) {
	if len(t.counts) < maxCounted {
		return
	}
	if now.Sub(t.swept) >= sweepTime {
		t.swept = now
		maps.DeleteFunc(t.counts, func(_ uint64, c count) bool { return now.Sub(c.since) >= triesTime })
	}
	for key := range t.counts {
		if len(t.counts) < maxCounted {
			return
		}
		delete(t.counts, key)
	}
}

func (t *tries) hash(key string) uint64 { return maphash.String(t.seed, key) }

// deviceRandom is the number of random bytes in the text of a device.
const deviceRandom = 16

// NewDevice returns a text for a browser in which a user is signed in. Sign-ins of the user with it have a limit of
// their own.
func (s *Service) NewDevice(id UserID) string {
	random := make([]byte, deviceRandom)
	rand.Read(random) // crypto/rand never returns an error
	return base64.RawURLEncoding.EncodeToString(append(random, s.settings.Key.Challenge(devicePurpose(id), random)...))
}

// IsDevice reports whether NewDevice has returned a text for a user.
func (s *Service) IsDevice(id UserID, text string) bool {
	b, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && id != 0 && len(b) > deviceRandom &&
		hmac.Equal(b[deviceRandom:], s.settings.Key.Challenge(devicePurpose(id), b[:deviceRandom]))
}

func devicePurpose(id UserID) string { return "device of " + strconv.FormatInt(int64(id), 10) }

// Sign returns a signature of a text for the session of a visit.
func (s *Service) Sign(v *Visit, text string) string {
	return base64.RawURLEncoding.EncodeToString(s.settings.Key.Challenge("text in session "+
		strconv.FormatInt(int64(v.Session.ID), 10), []byte(text)))
}
