package app

import (
	"context"

	"enlist/internal/db"
)

// This file remembers addresses that send X-Forwarded-For but are no trusted proxies, so that enlist doctor can name
// them. Behind such a proxy, a proof of consent has the address of the proxy and not of the person. decisions.md: 80

// untrustedProxy is an address and the Unix time of its request.
type untrustedProxy struct {
	Address string
	Time    int64
}

func mapUntrustedProxy(m *db.Mapper, p *untrustedProxy) {
	m.Fixed("address", &p.Address)
	m.Fixed("time", &p.Time)
}

var untrustedProxyTable = db.NewMapping("untrusted_proxy", mapUntrustedProxy)

// RecordUntrustedProxy stores an address.
func (s *App) RecordUntrustedProxy(ctx context.Context, address string) error {
	return db.OwnChange(ctx, s.DB, func(tx *db.Tx, now int64) error {
		return tx.Do(`INSERT INTO untrusted_proxy (address, time) VALUES (?, ?)
			ON CONFLICT (address) DO UPDATE SET time = excluded.time`, address, now)
	})
}

// ForgetUntrustedProxies removes all addresses. A server calls it at its start, because its flags may have changed.
func (s *App) ForgetUntrustedProxies(ctx context.Context) error {
	return db.OwnChange(ctx, s.DB, func(tx *db.Tx, _ int64) error {
		return tx.Do("DELETE FROM untrusted_proxy")
	})
}

// UntrustedProxies returns the addresses since the last start of a server.
func (s *App) UntrustedProxies(ctx context.Context) ([]untrustedProxy, error) {
	return db.OwnView(ctx, s.DB, func(tx *db.Tx) ([]untrustedProxy, error) {
		return untrustedProxyTable.All(tx, "ORDER BY address")
	})
}
