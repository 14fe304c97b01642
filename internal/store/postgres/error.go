package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// This file classifies errors by the error types of pgx and the error codes of
// PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html). The
// class decides whether update.go and readers.go try again.

// connectFailed is the error if no connection could be opened.
type connectFailed struct{ cause error }

func (e *connectFailed) Error() string {
	return "connect to the database: " + strings.Join(strings.Fields(e.cause.Error()), " ") // on one line
}
func (e *connectFailed) Unwrap() error { return e.cause }

// connectError returns a connectFailed if err says that no connection could be opened.
// Otherwise the caller has gone, or has waited too long for a free connection, and
// connectError says so.
func connectError(err error) error {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return &connectFailed{err}
	}
	return fmt.Errorf("wait for a connection: %w", err)
}

// sqlState returns the code of an error that PostgreSQL has sent, or "" for any other
// error.
func sqlState(err error) string {
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		return server.Code
	}
	return ""
}

// outdated reports whether a column's type has changed since the statement was prepared
// ("cached plan must not change result type"). The statement can run after it is
// prepared again.
func outdated(err error) bool {
	server, ok := errors.AsType[*pgconn.PgError](err)
	return ok && server.Code == "0A000" && server.Routine == "RevalidateCachedQuery"
}

// lost reports whether the connection has failed, or a statement that was prepared on
// it. An attempt on another connection may then succeed.
func lost(err error) bool {
	if code := sqlState(err); code != "" {
		// 08: connection failure; 57P: the server stops, starts or has crashed; 53300:
		// too many connections.
		return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P") || code == "53300" ||
			refusesWrites(err) || outdated(err)
	}
	if _, ok := errors.AsType[*connectFailed](err); ok {
		return true
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false // the caller no longer waits
	}
	return isBroken(err)
}

// collided reports whether a concurrent transaction, which has ended meanwhile, caused
// the error: 40P01 deadlock, 40001 serialisation failure, 23505 unique violation.
func collided(err error) bool {
	return slices.Contains([]string{"40P01", "40001", "23505"}, sqlState(err))
}

// deadlocked reports whether PostgreSQL has cancelled this transaction because of a
// deadlock.
func deadlocked(err error) bool { return sqlState(err) == "40P01" }

// refusesWrites reports whether the server is read-only: a standby, or a primary with
// default_transaction_read_only.
func refusesWrites(err error) bool { return sqlState(err) == "25006" }

// isBroken reports whether the network connection to the server has failed.
func isBroken(err error) bool {
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}
