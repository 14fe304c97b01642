package movein

import (
	"context"
	"time"
)

// SetWait replaces the waiting between two attempts of a call.
func (s *API) SetWait(wait func(context.Context, time.Duration) error) { s.wait = wait }
