package postgres

import (
	"context"
	"log/slog"
)

// This file compares two numbers: the connections that the pools may open, and the
// connections that the server allows.

// countConnections logs a warning if this process may need more connections than the server
// allows. Without the warning, the operator would notice the problem only when calls fail
// under load.
func (s *Store) countConnections(ctx context.Context, log *slog.Logger) error {
	var wanted, allowed int
	for _, p := range s.pools {
		wanted += int(p.Config().MaxConns)
	}
	err := s.readers.pool.QueryRow(ctx, `SELECT least(
			current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
			nullif(rolconnlimit, -1), nullif(datconnlimit, -1))
		FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`).Scan(&allowed)
	if err == nil && wanted > allowed {
		log.Warn("the server allows too few connections: raise its max_connections (or the limit of the role or the "+
			"database), or lower --db-writers and --db-readers",
			"allowed", allowed, "wanted", wanted)
	}
	return err
}
