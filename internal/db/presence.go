package db

import (
	"context"
	"crypto/rand"
	"strings"
	"time"
)

// This file says how a process finds out that another one has died, before the leases of that one end.
//
// A process that leases work has a token, and a lock for it that only the operating system or the database server can
// take away: SQLite's is a lock of a file, which ends with the process, and PostgreSQL's an advisory lock, which ends
// with its connection. A lease has the token in its holder. No clock counts: a paused or slow process keeps its lock,
// and a token whose lock is free never gets it again.
//
// On PostgreSQL a lock also ends if a living process loses its connection. Such a process finds out within StopTime
// (IsPresent) and begins nothing more under the old token. So others wait for StopTime before they do work again that
// has effects outside the database: only what was being sent at that moment is in doubt.

// Presence shows other processes that this one lives.
type Presence interface {
	// Presence returns the token of this process, or "" if it cannot have one at present: then its leases only end by
	// time. The first call takes the lock.
	Presence(ctx context.Context) string
	// IsPresent reports whether this process still has the lock of a token that Presence returned.
	IsPresent(token string) bool
	// IsGone reports whether no process has the lock of a token. It stays so.
	IsGone(ctx context.Context, token string) (bool, error)
}

// StopTime is the time in which a process stops work whose lock it has lost.
const StopTime = 5 * time.Second

// NewHolder returns a name for the holder of a lease of this process. Each call returns another one.
func NewHolder(ctx context.Context, p Presence) string {
	if token := p.Presence(ctx); token != "" {
		return token + "/" + rand.Text()
	}
	return rand.Text()
}

// MayWork reports whether this process may still work under the name of a holder. It is true for a holder without a
// token, whose lease ends by time.
func MayWork(p Presence, holder string) bool {
	token, _, ok := strings.Cut(holder, "/")
	return !ok || p.IsPresent(token)
}

// HolderIsGone reports whether the process of a holder has died, or has lost its lock. It is false for a holder without
// a token.
func HolderIsGone(ctx context.Context, p Presence, holder string) (bool, error) {
	token, _, ok := strings.Cut(holder, "/")
	if !ok || p.IsPresent(token) {
		return false, nil
	}
	return p.IsGone(ctx, token)
}
