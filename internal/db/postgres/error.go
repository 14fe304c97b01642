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
// PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html). From the
// class of an error, update.go and readers.go decide whether they run a function again.

// connectFailed means that no connection to the server could be opened.
type connectFailed struct{ cause error }

func (e *connectFailed) Error() string {
	return "connect to the database: " + strings.Join(strings.Fields(e.cause.Error()), " ") // on one line
}
func (e *connectFailed) Unwrap() error { return e.cause }

// connectError converts an error of pgx that means: the caller got no connection. It returns
// a connectFailed if no connection could be opened. Otherwise the context of the caller ended
// while the caller waited for a free connection.
func connectError(err error) error {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return &connectFailed{err}
	}
	return fmt.Errorf("wait for a connection: %w", err)
}

// queryCanceled is the code of a statement that was cancelled, or that took longer than statement_timeout.
const queryCanceled = "57014"

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

// lost reports whether an attempt on another connection can succeed. This is so if the
// connection has failed, if the server is read-only, or if a prepared statement is outdated.
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
		return false // the caller has gone, or its time limit has passed
	}
	return isBroken(err)
}

// collided reports whether a concurrent transaction caused the error: 40P01 deadlock, 40001
// serialisation failure, 23505 unique violation. Another attempt may then succeed.
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
