package sqlite

import (
	"context"
	"errors"
	"strconv"
	"sync"
)

// This file tells whether a transaction was committed, for db.Looks.

// versionConn is a connection that only asks for its data version. SQLite changes this number when another connection, of this
// process or another one, has committed. It reads a few bytes of the index of the write-ahead log.
type versionConn struct {
	connector *connector
	mu        sync.Mutex
	conn      *dbConn // nil before the first look, and after an error
	opened    int     // how often a connection was opened: the numbers of two connections cannot be compared
}

// read returns a version for db.NewLooks.
func (l *versionConn) read(context.Context) (_ string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil {
		if l.conn, err = l.connector.connect(); err != nil {
			l.conn = nil
			return "", err
		}
		l.opened++
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.conn.Close())
			l.conn = nil
		}
	}()
	if err := l.conn.unmoved(); err != nil {
		return "", err
	}
	rows, err := l.conn.session.Query(context.Background(), "PRAGMA data_version")
	if err != nil {
		return "", err
	}
	row, err := rows.Next()
	if err != nil {
		return "", errors.Join(err, rows.Close())
	}
	version, _ := row[0].(int64)
	return strconv.Itoa(l.opened) + " " + strconv.FormatInt(version, 10), rows.Close()
}

func (l *versionConn) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil {
		return nil
	}
	return l.conn.Close()
}
