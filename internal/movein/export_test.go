package movein

import (
	"context"
	"time"
)

// SetWait replaces the waiting between two attempts of a call.
func (m *Mover) SetWait(wait func(context.Context, time.Duration) error) { m.source.wait = wait }
