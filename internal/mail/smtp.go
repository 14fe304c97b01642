package mail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/audience"
	"enlist/internal/limiter"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/time/rate"
)

// This file sends messages to a mail server over a pool of connections.
// smtp_server.go opens a connection, smtp_conn.go sends one message over it, and
// smtp_reply.go decides what a reply means. smtp_breaker.go pauses all sending while
// the server does not answer.

const (
	// placeTime limits the wait for a connection and for the rate limit. probeTime
	// limits the wait for the end of a pause, and messageTime the sending. The three
	// together are less than the time limit of a job. The sending has a limit of its
	// own: a message that had to wait must not be interrupted between DATA and the
	// reply of a slow server.
	placeTime   = 10 * time.Second
	probeTime   = longestPause + 3*time.Second
	messageTime = 40 * time.Second

	// idleTime is how long an unused connection is kept. Mail servers close them
	// after a minute or more.
	idleTime = 20 * time.Second

	defaultConnections = 8

	// A server that accepts some connections and refuses one more has reached its
	// limit. For fullTime senders then share the connections that exist, and wait
	// shareTime for one before they try to open another.
	fullTime  = 30 * time.Second
	shareTime = 2 * time.Second
)

// smtpSender sends messages to a mail server and keeps its connections.
// decisions.md: 50
//
// A reply about a message is an error of that message. When the server cannot
// be reached, all senders wait until one of them has reached it again. A
// message whose time ends while it waits does not count as an attempt.
type smtpSender struct {
	server  mailServer
	encoder *encoder
	log     *slog.Logger
	limit   *rate.Limiter
	slots   *limiter.Limiter // one for each connection that may exist
	idle    chan *conn
	open    atomic.Int64 // number of open connections
	breaker *circuitBreaker

	fullUntil atomic.Int64 // Unix seconds; until then no further connection is opened
	stop      chan struct{}
	wg        sync.WaitGroup
}

func newSMTPSender(at mailServer, t Transport, e *encoder) *smtpSender {
	n := t.Connections
	if n <= 0 {
		n = defaultConnections
	}
	limit := cmp.Or(rate.Limit(max(t.Rate, 0)), rate.Inf)
	s := &smtpSender{
		server: at, encoder: e, log: t.Log, limit: rate.NewLimiter(limit, 1), breaker: newCircuitBreaker(),
		slots: limiter.New(n, 0), idle: make(chan *conn, n), stop: make(chan struct{}),
	}
	s.wg.Go(s.closeIdleRegularly)
	return s
}

// send waits for a connection, the rate limit and the circuit breaker, in this
// order, and sends the message.
func (s *smtpSender) send(ctx context.Context, m *gomail.Msg, about *audience.DeliveryKey) error {
	e, err := s.encoder.encode(m, about)
	if err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, placeTime)
	defer cancel()
	release, err := s.slots.Acquire(waiting)
	if err != nil {
		return notAttempted(err)
	}
	defer release()
	if err := s.limit.Wait(waiting); err != nil {
		return notAttempted(err)
	}
	waiting, cancel = context.WithTimeout(ctx, probeTime)
	defer cancel()
	probe, err := s.breaker.allow(waiting)
	if err != nil {
		return notAttempted(err)
	}
	ctx, cancel = context.WithTimeout(ctx, messageTime)
	defer cancel()
	failed, state := s.attempt(ctx, e)
	if pause := s.breaker.record(probe, state); pause > 0 {
		s.log.Warn("the mail server does not answer", "error", shortError{failed.err}, "pause", pause)
	}
	if failed == nil {
		return nil
	}
	return failed.undelivered()
}

// notAttempted is the error of a message that was not sent: the queue sends it later, and the
// attempt does not count.
func notAttempted(why error) error { return fmt.Errorf("%w: %w", audience.ErrSendingPaused, why) }

// attempt sends a message on an idle or a new connection. The server may have
// closed an idle connection: if it cannot have accepted the message, attempt
// sends it once more on a new connection.
func (s *smtpSender) attempt(ctx context.Context, e *envelope) (*failure, serverState) {
	c, reused, err := s.acquire(ctx)
	for err == nil {
		failed := c.deliver(ctx, e)
		s.release(c, failed)
		switch {
		case failed == nil:
			return nil, serverUp
		case !failed.broken():
			return failed, serverUp
		case ctx.Err() != nil:
			return failed, serverUnknown
		case !reused || !failed.notAccepted():
			if failed.stage == stageMail {
				return failed, serverDown
			}
			return failed, serverUnknown
		}
		reused = false
		c, err = s.dial(ctx)
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return &failure{stageConnect, err}, serverUnknown
	}
	return &failure{stageConnect, err}, serverDown
}

// acquire returns an idle connection, or opens one.
func (s *smtpSender) acquire(ctx context.Context) (c *conn, reused bool, err error) {
	select {
	case c := <-s.idle:
		return c, true, nil
	default:
	}
	if s.open.Load() == 0 || time.Now().Unix() >= s.fullUntil.Load() {
		c, err = s.dial(ctx)
		if err == nil || s.open.Load() == 0 {
			return c, false, err
		}
		s.fullUntil.Store(time.Now().Add(fullTime).Unix())
	}
	timer := time.NewTimer(shareTime)
	defer timer.Stop()
	select {
	case c := <-s.idle:
		return c, true, nil
	case <-ctx.Done():
	case <-timer.C:
	}
	c, err = s.dial(ctx)
	return c, false, err
}

// dial opens a connection and counts it.
func (s *smtpSender) dial(ctx context.Context) (*conn, error) {
	c, err := s.server.dial(ctx)
	if err == nil {
		s.open.Add(1)
	}
	return c, err
}

// release keeps a connection for the next message, unless it is broken.
func (s *smtpSender) release(c *conn, failed *failure) {
	if failed != nil && failed.broken() {
		c.client = nil // QUIT would get no answer
	}
	if c.client == nil {
		s.drop(c)
		return
	}
	c.idleSince = time.Now()
	s.keep(c)
}

// keep stores an idle connection. There may be no room for it: while closeIdle
// holds a connection, a sender may open another one in its place.
func (s *smtpSender) keep(c *conn) {
	select {
	case s.idle <- c:
	default:
		s.drop(c)
	}
}

func (s *smtpSender) drop(c *conn) {
	s.open.Add(-1)
	c.close()
}

// closeIdleRegularly closes unused connections until the sender is closed.
func (s *smtpSender) closeIdleRegularly() {
	ticker := time.NewTicker(idleTime / 4)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.closeIdle(time.Now().Add(-idleTime))
		case <-s.stop:
			return
		}
	}
}

// closeIdle closes the connections that have been unused since the given time.
func (s *smtpSender) closeIdle(since time.Time) {
	for range len(s.idle) {
		select {
		case c := <-s.idle:
			if c.idleSince.After(since) {
				s.keep(c)
			} else {
				s.drop(c)
			}
		default:
		}
	}
}

// close closes the connections. The caller has ended all calls of send.
func (s *smtpSender) close() error {
	close(s.stop)
	s.wg.Wait()
	s.closeIdle(time.Now())
	return nil
}
