package pgtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
)

// This file replicates a server to a second server.

// StartStandby starts a standby of this server, with synchronous replication. From then
// on a COMMIT on this server waits until the standby has stored it.
func (s *Server) StartStandby() (*Server, error) {
	other := &Server{bin: s.bin, isDurable: s.isDurable}
	if err := other.prepare(nil); err != nil {
		return nil, err
	}
	err := other.run("pg_basebackup", "-h", s.dir, "-U", "postgres", "-D", other.data(), "-R", "-X", "stream", "-c",
		"fast", "--no-sync")
	if err == nil {
		err = other.Start()
	}
	if err == nil {
		err = s.awaitStandby()
	}
	if err != nil {
		other.Remove()
		return nil, err
	}
	return other, nil
}

// awaitStandby turns synchronous replication on and waits until it works.
func (s *Server) awaitStandby() error {
	if err := s.Set("synchronous_standby_names", "'*'"); err != nil {
		return err
	}
	return s.Await("SELECT count(*) > 0 FROM pg_stat_replication WHERE sync_state = 'sync'")
}

// Promote makes a standby a primary and returns when it accepts writes.
func (s *Server) Promote() error {
	return s.run("pg_ctl", "-D", s.data(), "-w", "-t", "60", "promote")
}

// Demote changes a stopped server: from its next start on it is a standby without a
// primary.
func (s *Server) Demote() error {
	path := filepath.Join(s.data(), "standby.signal")
	if err := os.WriteFile(path, nil, 0o600); err != nil || s.as == nil {
		return err
	}
	return os.Chown(path, int(s.as.Uid), int(s.as.Gid))
}

// Set changes a setting of the server. The value must be quoted for SQL. Set returns when new
// connections have the value. Open connections get the new value soon after that.
func (s *Server) Set(name, value string) error {
	return s.do(func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "ALTER SYSTEM SET "+name+" = "+value); err != nil {
			return err
		}
		if _, err := conn.Exec(ctx, "SELECT pg_reload_conf()"); err != nil {
			return err
		}
		return await(ctx, conn, "SELECT current_setting('"+name+"') = "+value)
	})
}

// Await waits until a query returns true, for a minute at most.
func (s *Server) Await(query string) error {
	return s.do(func(ctx context.Context, conn *pgx.Conn) error { return await(ctx, conn, query) })
}

// do runs a function with a connection to the server.
func (s *Server) do(what func(context.Context, *pgx.Conn) error) error {
	ctx, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return err
	}
	return errors.Join(what(ctx, conn), conn.Close(ctx))
}

// await repeats a query every 10 ms until it returns true.
func await(ctx context.Context, conn *pgx.Conn, query string) error {
	for {
		var yes bool
		if err := conn.QueryRow(ctx, query).Scan(&yes); err != nil || yes {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}
