package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/sqlite"
)

// This file keeps the service running while the disk of a SQLite file is full, and looks for damage of the file.

// roomPause is the time between two attempts to start with a full disk.
const roomPause = time.Second

// serveDespiteFullDisk runs serve. If the disk has no room even to open the file, or for the first tables, it answers
// health checks with the reason, and tries again until there is room.
func serveDespiteFullDisk(ctx context.Context, listen string, log *slog.Logger, serve func() error) error {
	err := serve()
	if !sqlite.IsFull(err) {
		return err
	}
	log.Error("the service waits, because the disk of the database is full: make room on it", "error", err)
	for sqlite.IsFull(err) {
		if !waitForRoom(ctx, listen) {
			return nil // a signal arrived
		}
		err = serve()
	}
	return err
}

// waitForRoom answers requests for roomPause with the reason why there is no service. It returns false if ctx has ended.
func waitForRoom(ctx context.Context, listen string) bool {
	waiting := &http.Server{Handler: http.HandlerFunc(answerFull), ReadTimeout: headerTime, WriteTimeout: headerTime}
	var work sync.WaitGroup
	defer func() { waiting.Close(); work.Wait() }()
	if listener, err := net.Listen("tcp", listen); err == nil { // if not, serve says why when there is room
		work.Go(func() { waiting.Serve(listener) })
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(roomPause):
		return true
	}
}

// answer writes status 200 if err is nil, and otherwise status 503 with the text of err.
func answer(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte("ok\n")) // an error means that the client has disconnected
}

// answerFull answers that the process runs, and any other request that the disk is full.
func answerFull(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/healthz" {
		answer(w, nil)
		return
	}
	answer(w, db.ErrFull)
}

// startsAnyway returns nil for the error of a write that the service can start without on a full disk, and logs it.
func startsAnyway(err error, log *slog.Logger) error {
	if sqlite.IsFull(err) {
		log.Error("the service starts, but the disk of the database is full: make room on it", "error", err)
		return nil
	}
	return err
}

// inspectTime is the hour, UTC, in which the file is read. inspectLimit is the longest time for it.
const (
	inspectTime  = 3
	inspectLimit = 30 * time.Minute
)

// inspectByNight looks for damage of the file each night, until ctx ends. PostgreSQL looks after its own files.
func (s *server) inspectByNight(ctx context.Context) {
	for s.store.inspect != nil {
		now := time.Now().UTC()
		next := time.Date(now.Year(), now.Month(), now.Day(), inspectTime, 0, 0, 0, time.UTC)
		if !next.After(now) {
			next = next.AddDate(0, 0, 1)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(next)):
			limited, done := context.WithTimeout(ctx, inspectLimit)
			if err := s.store.inspect(limited); err != nil && ctx.Err() == nil && !errors.Is(err, db.ErrDamaged) {
				s.log.Error("the database file was not checked for damage", "error", err) // the store logs damage
			}
			done()
		}
	}
}
