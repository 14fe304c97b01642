package sending

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file sends slices whose mails have a limited rate. The leasing goroutine takes tokens for the
// recipients of a slice and hands the recipients with tokens to the workers. If the others get
// tokens soon, the slice is deferred until then. Otherwise it is released, and leased again later.

const (
	// deferTime is the longest time that a slice is deferred. It is not long, so that the next slices
	// of the Batch, whose recipients may be at other domains, are sent too.
	deferTime = 3 * time.Second
	// maxDeferred is the largest number of deferred slices of a Batch.
	maxDeferred = 2
	// early is how long before the next token a slice is leased again. Then it is deferred like the slices of other Batches
	// when the token appears, and each has the same chance to get it.
	early = time.Second
	// longestBlock is the longest time until this process takes tokens for a Batch again.
	longestBlock = 30 * time.Second
)

// wait moves all recipients of a new slice to those without tokens.
func (s *heldSlice) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting, s.left = s.left, nil
}

// withoutTokens returns the recipients that wait for tokens. If there are any, the slice is not finished until granted
// is called, also if it is abandoned meanwhile: its tokens must be returned.
func (s *heldSlice) withoutTokens() []recipients.Recipient {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.granting = len(s.waiting) > 0
	return s.waiting
}

// granted stores which recipients have tokens since now and which still wait. In an abandoned slice the tokens are
// unused.
func (s *heldSlice) granted(left, waiting []recipients.Recipient, again, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.granting = false
	if s.tokens.IsZero() {
		s.tokens = now
	}
	if s.abandoned {
		s.unused = append(s.unused, left...)
		return
	}
	s.left, s.waiting, s.again = left, waiting, again
}

// deferLimit returns when a slice with waiting recipients must be released.
func (s *heldSlice) deferLimit(now time.Time) time.Time {
	if s.deferredUntil.IsZero() {
		s.deferredUntil = now.Add(deferTime)
	}
	return s.deferredUntil
}

// admit takes tokens for the waiting recipients of a slice and makes those ready that have tokens. It defers the slice if the
// others get tokens soon. After an error of the database it returns how long to wait.
func (b *BatchSender) admit(ctx context.Context, s *heldSlice) (wait time.Duration) {
	waiting := s.withoutTokens()
	if len(waiting) == 0 { // abandoned while it was deferred
		b.finishIfDone(s)
		return 0
	}
	now := b.now()
	granted, others, next, err := b.service.TakeTokens(ctx, s.leased, waiting)
	if err != nil {
		b.report(ctx, "take tokens for the mails of a Batch", err)
		s.abandon()
		s.granted(nil, nil, time.Time{}, now)
		b.finishIfDone(s)
		return failedPause
	}
	switch until := s.deferLimit(now); {
	case len(others) == 0:
		s.granted(granted, nil, time.Time{}, now)
	case next.Before(until):
		s.granted(granted, others, time.Time{}, now)
		b.deferred.add(s, next)
	default:
		again := next.Add(-early)
		s.granted(granted, nil, again, now)
		if len(granted) == 0 && len(others) == len(s.leased.Recipients) {
			b.deferred.block(s.leased.Batch, min(again.Sub(now), longestBlock), now)
		}
	}
	b.ready.add(s)
	return 0
}

// returnTokens gives the unused tokens of a finished slice back.
func (b *BatchSender) returnTokens(s *heldSlice) {
	if s.tokens.IsZero() || len(s.unused) == 0 { // no worker uses the slice any more
		return
	}
	if err := b.service.returnTokens(b.running, s.leased, s.unused, s.tokens); err != nil {
		b.report(b.running, "return tokens for mails of a Batch", err)
	}
}

// pauseUntil returns for how many seconds a slice is not leased whose recipients have no tokens.
func pauseUntil(at, now time.Time) int64 {
	return int64(min(max(at.Sub(now), time.Second), longestBlock) / time.Second)
}

// deferredSlices are the slices that wait for tokens, and the Batches of which no recipient gets one.
type deferredSlices struct {
	all     []deferredSlice
	blocked map[enlist.BatchID]time.Time
}

type deferredSlice struct {
	slice *heldSlice
	at    time.Time // when a recipient may get a token
}

func (p *deferredSlices) add(s *heldSlice, at time.Time) {
	p.all = append(p.all, deferredSlice{s, at})
}

// due removes and returns a slice that is due, or nil. A slice whose recipients with tokens are ready is not due. The
// slice takes all tokens that its mails can use. So due chooses a Batch at random, and all Batches that wait for a limit
// get about the same number of tokens.
func (p *deferredSlices) due(now time.Time) *heldSlice {
	first := make(map[enlist.BatchID]int) // slices that are due, one of each Batch
	for i := range p.all {
		s := p.all[i].slice
		if _, ok := first[s.leased.Batch]; !ok && !p.all[i].at.After(now) && !s.hasMore() {
			first[s.leased.Batch] = i
		}
	}
	if len(first) == 0 {
		return nil
	}
	i := slices.Collect(maps.Values(first))[rand.IntN(len(first))]
	s := p.all[i].slice
	p.all = slices.Delete(p.all, i, i+1)
	return s
}

// wait returns how long to wait for the first deferred slice, at most longest. It is at most deferTime, because the
// clock may be set forward.
func (p *deferredSlices) wait(longest time.Duration, now time.Time) time.Duration {
	if len(p.all)+len(p.blocked) > 0 {
		longest = min(longest, deferTime)
	}
	for i := range p.all {
		if !p.all[i].slice.hasMore() {
			longest = min(longest, p.all[i].at.Sub(now))
		}
	}
	for _, at := range p.blocked {
		longest = min(longest, at.Sub(now))
	}
	return max(longest, 0)
}

// block makes skip return a Batch for some time.
func (p *deferredSlices) block(id enlist.BatchID, d time.Duration, now time.Time) {
	if p.blocked == nil {
		p.blocked = make(map[enlist.BatchID]time.Time)
	}
	p.blocked[id] = now.Add(d)
}

// skip returns the Batches of which no slice should be leased now.
func (p *deferredSlices) skip(now time.Time) (ids []enlist.BatchID) {
	for id, at := range p.blocked {
		if at.After(now) {
			ids = append(ids, id)
		} else {
			delete(p.blocked, id)
		}
	}
	deferred := make(map[enlist.BatchID]int)
	for i := range p.all {
		id := p.all[i].slice.leased.Batch
		deferred[id]++
		if deferred[id] == maxDeferred {
			ids = append(ids, id)
		}
	}
	return ids
}

// slowDown halves the rate of the mails of a group, because the mail server asked for it. The held slices are
// released, so that their other recipients get the new rate too.
func (b *BatchSender) slowDown(ctx context.Context, group string) {
	slowed, err := b.service.SlowDown(ctx, group, b.pace.perMinute(group, b.now()))
	if err != nil {
		b.report(ctx, "slow down mails", err)
	}
	if !slowed {
		return
	}
	for _, s := range b.held.copy() {
		s.abandon()
	}
}

// paceMeter measures at which rate this process sends the mails of each domain group, and all.
type paceMeter struct {
	mu     sync.Mutex
	groups map[string]*paceCount
}

type paceCount struct {
	since time.Time
	n     float64
}

// meterWindow is the time over which a paceMeter measures.
const meterWindow = time.Minute

func (p *paceMeter) count(group string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.of(group, now)
	c.n++
}

// of returns the counter of a group. After meterWindow it halves the time and the count. The
// caller holds p.mu.
func (p *paceMeter) of(group string, now time.Time) *paceCount {
	if p.groups == nil || len(p.groups) > 10_000 {
		p.groups = make(map[string]*paceCount)
	}
	c := p.groups[group]
	switch {
	case c == nil || now.Sub(c.since) > 2*meterWindow:
		c = &paceCount{since: now}
		p.groups[group] = c
	case now.Sub(c.since) > meterWindow:
		c.since, c.n = c.since.Add(now.Sub(c.since)/2), c.n/2
	}
	return c
}

func (p *paceMeter) perMinute(group string, now time.Time) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.of(group, now)
	return int64(c.n * float64(time.Minute) / float64(max(now.Sub(c.since), time.Second)))
}
