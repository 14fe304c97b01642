package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file notices that the database is damaged, by the error of any statement on the primary. From then on no
// connection for changes is given out, also not to the job queue.

// isDamaged reports whether a code means that the server has read something that it has not written: XX001
// data_corrupted, XX002 index_corrupted.
func isDamaged(code string) bool { return slices.Contains([]string{"XX001", "XX002"}, code) }

// lookForDamage is called for each error that a server sends. Like pgx's own function, it closes the connection after a
// fatal one.
func (s *Store) lookForDamage(_ *pgconn.PgConn, err *pgconn.PgError) bool {
	if isDamaged(err.Code) {
		s.damage.Found(fmt.Errorf("SQLSTATE %s: %s", err.Code, err.Message))
	}
	return !strings.EqualFold(err.Severity, "FATAL")
}

// undamaged returns a copy of config whose pool refuses connections after a sign of damage.
func (s *Store) undamaged(config *pgxpool.Config) *pgxpool.Config {
	config = config.Copy()
	config.PrepareConn = func(context.Context, *pgx.Conn) (bool, error) { return true, s.damage.Check() }
	return config
}
