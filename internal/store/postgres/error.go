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

// connectFailed says that there was no connection to be had.
type connectFailed struct{ cause error }

func (e *connectFailed) Error() string {
	return "connect to the database: " + strings.Join(strings.Fields(e.cause.Error()), " ") // on one line
}
func (e *connectFailed) Unwrap() error { return e.cause }

// connectError tells a caller who has gone, or has waited too long for a
// connection to come free, from a database that cannot be reached.
func connectError(err error) error {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return &connectFailed{err}
	}
	return fmt.Errorf("wait for a connection: %w", err)
}

// outdated reports whether a statement was prepared before somebody changed the
// type of a column in it: prepared anew it may run.
func outdated(err error) bool {
	server, ok := errors.AsType[*pgconn.PgError](err)
	return ok && server.Code == "0A000" && server.Routine == "RevalidateCachedQuery"
}

// lost reports whether the connection is to blame, or what was prepared on it, so
// that another one may do.
func lost(err error) bool {
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		// 08: connections; 57P: the server stops, starts or has crashed; 53300: it
		// has too many connections.
		return strings.HasPrefix(server.Code, "08") || strings.HasPrefix(server.Code, "57P") ||
			server.Code == "53300" || refusesWrites(err) || outdated(err)
	}
	if _, ok := errors.AsType[*connectFailed](err); ok {
		return true
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false // the caller waits no longer
	}
	return isBroken(err)
}

// collided reports whether another transaction is to blame that is over by now:
// deadlock, serialisation failure, or a row that has just come to be there.
func collided(err error) bool {
	server, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains([]string{"40P01", "40001", "23505"}, server.Code)
}

// deadlocked reports whether the server has ended a circle of transactions that
// wait for each other by failing this one.
func deadlocked(err error) bool {
	server, ok := errors.AsType[*pgconn.PgError](err)
	return ok && server.Code == "40P01"
}

// refusesWrites reports whether a server only lets itself be read: a standby, or
// one that was told so. Its connections are of no use to who writes.
func refusesWrites(err error) bool {
	server, ok := errors.AsType[*pgconn.PgError](err)
	return ok && server.Code == "25006"
}

// isBroken reports whether an error came from the line to the server.
func isBroken(err error) bool {
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}
