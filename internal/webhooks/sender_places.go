package webhooks

import (
	"sync"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/limiter"
)

// This file decides which webhook targets may be posted to at the same time, so that slow receivers
// do not delay others. A job that gets no place goes back to the queue for a short time.
// decisions.md: 52

const (
	// Places is the largest number of POSTs at the same time. One Account has at most half
	// of them. A waiting POST needs a connection and a batch of events, about 100 KB.
	Places = 256

	// slowPlaces is the largest number of POSTs to slow targets. One Account has at most half of them.
	slowPlaces = 32

	// slowPost is the duration of a POST after which its target counts as slow, until a POST is faster.
	slowPost = time.Second
)

// places has the places of the running jobs, and the targets that are slow. Only this process
// knows these targets, and forgets them when it ends.
type places struct {
	all, forSlow *limiter.Limiter
	slow         sync.Map // the WebhookTargetID of each slow target
}

func newPlaces() *places {
	return &places{
		all:     limiter.NewShared(Places, limiter.Half(Places), 0),
		forSlow: limiter.NewShared(slowPlaces, limiter.Half(slowPlaces), 0),
	}
}

// enter takes the places for a job, without waiting. A slow target needs two places. The job must
// call leave when it ends. If a place is not free, ok is false.
func (p *places) enter(job events.DeliverWebhook) (leave func(), ok bool) {
	place, ok := p.all.TryFor(int64(job.Account))
	if !ok {
		return nil, false
	}
	if _, slow := p.slow.Load(job.Target); !slow {
		return place, true
	}
	slowPlace, ok := p.forSlow.TryFor(int64(job.Account))
	if !ok {
		place()
		return nil, false
	}
	return func() { slowPlace(); place() }, true
}

// took stores how long a POST to a target took, and reports whether the target is slow.
func (p *places) took(target enlist.WebhookTargetID, d time.Duration) (slow bool) {
	if d < slowPost {
		p.slow.Delete(target)
		return false
	}
	p.slow.Store(target, nil)
	return true
}
