package db

import (
	"context"
	"time"
)

// Periodic is work that each process does when it starts, and again after each interval. A subject returns its own, and
// package jobs runs it.
type Periodic struct {
	Name  string // for the log
	Every time.Duration
	Do    func(context.Context) error
}
