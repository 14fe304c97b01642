package sqlstore

import (
	"context"
	"time"

	"enlist/internal/audience"
)

// Places bound how many transactions of a kind run at once, and for how long. The
// zero value bounds nothing.
type Places struct {
	wait  time.Duration // for a free place; 0: as long as the caller's context
	limit time.Duration // for one transaction; 0: none
	taken chan struct{}
}

// NewPlaces makes n places; waiting for one and holding it may have a limit each.
func NewPlaces(n int, wait, limit time.Duration) Places {
	return Places{wait: wait, limit: limit, taken: make(chan struct{}, n)}
}

// Hold runs do in a place, with the context that it may run for. Who gets none
// in time, or is not done in time, gets an error of kind Busy.
func (p Places) Hold(ctx context.Context, do func(ctx context.Context) error) error {
	if err := p.enter(ctx); err != nil {
		return err
	}
	defer p.leave()
	if p.limit == 0 {
		return do(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	err := do(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = &audience.Error{Kind: audience.Busy, Detail: "the search took too long; narrow it down", Err: err}
	}
	return err
}

func (p Places) leave() {
	if p.taken != nil {
		<-p.taken
	}
}

// enter waits for a place.
func (p Places) enter(ctx context.Context) error {
	if p.taken == nil {
		return nil
	}
	select {
	case p.taken <- struct{}{}:
		return nil
	default:
	}
	var overdue <-chan time.Time
	if p.wait > 0 {
		timer := time.NewTimer(p.wait)
		defer timer.Stop()
		overdue = timer.C
	}
	select {
	case p.taken <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-overdue:
		return audience.Refuse(audience.Busy, "too many searches at once; try again in a moment")
	}
}
