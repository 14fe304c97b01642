package webhooks

import (
	"sync"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/limiter"
)

// This file decides which webhook targets may be posted to at the same time, so that slow receivers
// do not delay others. A job that gets no slot goes back to the queue for a short time.
// decisions.md: 52

const (
	// Slots is the largest number of POSTs at the same time. One Account has at most half
	// of them. A waiting POST needs a connection and a batch of events, about 100 KB.
	Slots = 256

	// slowSlots is the largest number of POSTs to slow targets. One Account has at most half of them.
	slowSlots = 32

	// slowPost is the duration of a POST after which its target counts as slow, until a POST is faster.
	slowPost = time.Second
)

// slots has the slots of the running jobs, and the targets that are slow. Only this process
// knows these targets, and forgets them when it ends.
type slots struct {
	all, forSlow *limiter.Limiter
	slow         sync.Map // the WebhookTargetID of each slow target
}

func newSlots() *slots {
	return &slots{
		all:     limiter.NewShared(Slots, limiter.Half(Slots), 0),
		forSlow: limiter.NewShared(slowSlots, limiter.Half(slowSlots), 0),
	}
}

// enter takes the slots for a job, without waiting. A slow target needs two slots. The job must
// call leave when it ends. If a slot is not free, ok is false.
func (p *slots) enter(job events.DeliverWebhook) (leave func(), ok bool) {
	slot, ok := p.all.TryFor(int64(job.Account))
	if !ok {
		return nil, false
	}
	if _, slow := p.slow.Load(job.Target); !slow {
		return slot, true
	}
	slowSlot, ok := p.forSlow.TryFor(int64(job.Account))
	if !ok {
		slot()
		return nil, false
	}
	return func() { slowSlot(); slot() }, true
}

// took stores how long a POST to a target took, and reports whether the target is slow.
func (p *slots) took(target enlist.WebhookTargetID, d time.Duration) (slow bool) {
	if d < slowPost {
		p.slow.Delete(target)
		return false
	}
	p.slow.Store(target, nil)
	return true
}
