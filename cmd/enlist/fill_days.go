package main

import (
	"context"
	"time"
)

// This file repeats work after an upgrade until it is done.

// fillDays fills the days of Lists before the upgrade, which can take minutes. After an error, such as an outage of the
// database, it tries again.
func (s *server) fillDays(ctx context.Context) {
	for {
		err := s.service.Contacts.FillDays(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		s.log.Error("the days of Lists before the upgrade are not filled; trying again in a minute", "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Minute):
		}
	}
}
