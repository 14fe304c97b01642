package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"enlist/internal/db/dbtest"
)

// This file has the faults of the soak test. One fault happens at a time.

// fault is a kind of fault.
type fault struct {
	name string
	late bool // may also happen in the last third of the run; the memory of a process that is new would say nothing
	do   func(length time.Duration) error
}

// kinds returns the faults that are possible in this run.
func (s *soak) kinds() []fault {
	kinds := []fault{
		{"connections of callers cut", true, func(time.Duration) error { s.conns.cut(); return nil }},
		{"mail server down", true, s.stopMails},
		{"server killed", false, s.killServer},
	}
	if s.disk != "" {
		kinds = append(kinds, fault{"disk full", true, s.fillDisk})
	}
	if s.clock != nil {
		kinds = append(kinds, fault{"clock stepped forward and back", true,
			func(d time.Duration) error { return s.stepClock(1, d) }},
			fault{"clock stepped back and forward", true, func(d time.Duration) error { return s.stepClock(-1, d) }})
	}
	if s.database != nil {
		kinds = append(kinds,
			fault{"PostgreSQL stopped", true, func(d time.Duration) error { return s.restartDatabase("fast", d) }},
			fault{"PostgreSQL crashed", true, func(d time.Duration) error { return s.restartDatabase("immediate", d) }})
	}
	return kinds
}

// breakThings lets faults happen at random moments until end. Each kind happens once in a random order, and then again.
func (s *soak) breakThings(end time.Time) error {
	var queue []fault
	began, whole := time.Now(), time.Until(end)
	for {
		pause := whole/40 + rand.N(whole/25+1)
		length := min(whole/30, time.Second+rand.N(4*time.Second))
		if time.Now().Add(pause + length).After(end) {
			return nil
		}
		if err := s.sleep(pause); err != nil {
			return err
		}
		if len(queue) == 0 {
			queue = s.kinds()
			rand.Shuffle(len(queue), func(i, j int) { queue[i], queue[j] = queue[j], queue[i] })
		}
		next := queue[0]
		queue = queue[1:]
		if !next.late && time.Since(began) > whole*2/3 {
			continue
		}
		if err := next.do(length); err != nil {
			return fmt.Errorf("%s: %w", next.name, err)
		}
		s.faults[next.name]++
	}
}

// stopMails ends all connections to the mail server. It listens again after the given time.
func (s *soak) stopMails(length time.Duration) error {
	s.mails.Stop()
	if err := s.sleep(length); err != nil {
		return err
	}
	return s.mails.Resume()
}

// killServer kills the server with SIGKILL and starts it again. In a run of less than a minute, the database is then
// changed as if an hour had passed, so that the next process need not wait until it takes over jobs and leases.
func (s *soak) killServer(time.Duration) error {
	s.server.kill()
	if *soakTime < time.Minute {
		err := errors.Join(dbtest.AgeKilledJobs(s.ctx, s.db), dbtest.EndLeases(s.ctx, s.db))
		if err != nil {
			return err
		}
	}
	return s.serve()
}

// restartDatabase stops the PostgreSQL server and starts it again after the given time.
func (s *soak) restartDatabase(mode string, length time.Duration) error {
	if err := s.database.Stop(mode); err != nil {
		return err
	}
	if err := s.sleep(length); err != nil {
		return err
	}
	return s.database.Start()
}

// fillDisk fills the file system of the database for the given time.
func (s *soak) fillDisk(length time.Duration) error {
	path := filepath.Join(s.disk, "fill")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	for _, size := range []int{1 << 20, 4096} {
		for page := make([]byte, size); err == nil; {
			_, err = f.Write(page)
		}
		err = nil // the file system is full for pieces of this size
	}
	err = errors.Join(s.sleep(length), f.Close(), os.Remove(path))
	if err == nil && s.database != nil {
		err = s.database.Resume() // a full disk ends the PostgreSQL server
	}
	return err
}

// callerConns are the connections of the callers to the server.
type callerConns struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

func newCallerConns() *callerConns { return &callerConns{open: make(map[net.Conn]bool)} }

// dial opens a connection that cut ends.
func (l *callerConns) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	one := &callerConn{conn, l}
	l.open[one] = true
	return one, nil
}

// cut resets all connections.
func (l *callerConns) cut() {
	l.mu.Lock()
	var all []net.Conn
	for conn := range l.open {
		all = append(all, conn)
	}
	l.mu.Unlock()
	for _, conn := range all {
		if tcp, ok := conn.(*callerConn).Conn.(*net.TCPConn); ok {
			tcp.SetLinger(0) // Close then sends a reset
		}
		conn.Close()
	}
}

// callerConn is a connection that l lists while it is open.
type callerConn struct {
	net.Conn
	l *callerConns
}

func (c *callerConn) Close() error {
	c.l.mu.Lock()
	delete(c.l.open, net.Conn(c))
	c.l.mu.Unlock()
	return c.Conn.Close()
}
