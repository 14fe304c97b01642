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

	"enlist/internal/enlist"
	"enlist/internal/limiter"
	"enlist/internal/sending"

	"golang.org/x/time/rate"
)

// This file sends messages to a mail server over a pool of connections.
// smtp_server.go opens a connection, smtp_conn.go sends one message over it, and
// smtp_reply.go decides what a reply means. smtp_breaker.go pauses all sending while
// the mail server does not reply.

const (
	// placeTime limits the wait for a connection and for the rate limit. probeTime
	// limits the wait for the end of a pause. messageTime limits the sending of a
	// message. The sum of the three is less than the time limit of a job. Sending has a
	// separate limit. With one limit for all, a message that had to wait could be
	// interrupted between DATA and the reply of a slow mail server.
	placeTime   = 10 * time.Second
	probeTime   = longestPause + 3*time.Second
	messageTime = 40 * time.Second

	// idleTime is the time after which an idle connection is closed. Mail servers close
	// idle connections after a minute or more.
	idleTime = 20 * time.Second

	defaultConnections = 8

	// If a mail server accepts some connections and refuses another one, it has reached its
	// limit. For the time fullTime, all calls of send then share the open connections. A call
	// waits for an open connection up to shareTime, and only then tries to open another.
	fullTime  = 30 * time.Second
	shareTime = 2 * time.Second
)

// smtpSender sends messages to a mail server and keeps connections open between messages.
//
// If the mail server refuses a message, only this message fails. If the mail server cannot be
// reached, all calls of send wait until one of them reaches the server again. If a message is
// not sent because it waited until its time limit, no attempt is counted.
type smtpSender struct {
	server  mailServer
	encoder *encoder
	log     *slog.Logger
	limit   *rate.Limiter    // of the setting mail-rate; waitForRate follows the setting
	slots   *limiter.Limiter // limits the number of connections
	idle    chan *conn
	open    atomic.Int64 // number of open connections
	breaker *circuitBreaker
	meter   *meter

	fullUntil atomic.Int64 // end of fullTime in Unix seconds
	stop      chan struct{}
	wg        sync.WaitGroup
}

func newSMTPSender(at mailServer, t Transport, e *encoder, m *meter) *smtpSender {
	n := t.Connections
	if n <= 0 {
		n = defaultConnections
	}
	s := &smtpSender{
		server: at, encoder: e, log: t.Log, limit: rate.NewLimiter(rate.Inf, 1), breaker: newCircuitBreaker(), meter: m,
		slots: limiter.New(n, 0), idle: make(chan *conn, n), stop: make(chan struct{}),
	}
	s.wg.Go(s.closeIdleRegularly)
	return s
}

// send implements sender. It waits for a connection, for the rate limit and for the circuit
// breaker, in this order. Then it sends the message.
func (s *smtpSender) send(ctx context.Context, m *composed, about *enlist.DeliveryKey) error {
	e, err := s.encoder.encode(ctx, m, about)
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
	if err := s.waitForRate(waiting); err != nil {
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
	began := time.Now()
	failed, state := s.attempt(ctx, e)
	s.meter.took(began)
	if pause := s.breaker.record(probe, state); pause > 0 {
		s.log.Warn("the mail server does not answer", "error", shortError{failed.err}, "pause", pause)
	}
	if failed == nil {
		return nil
	}
	return failed.undelivered()
}

func (s *smtpSender) waitForRate(ctx context.Context) error {
	if limit := cmp.Or(rate.Limit(s.encoder.settings().MailRate), rate.Inf); limit != s.limit.Limit() {
		s.limit.SetLimit(limit)
	}
	return s.limit.Wait(ctx)
}

// notAttempted returns the error for a message that send did not try to send. The queue sends
// the message later, and does not count this as an attempt.
func notAttempted(why error) error { return fmt.Errorf("%w: %w", sending.ErrSendingPaused, why) }

// attempt sends a message over an idle or a new connection. The mail server may have closed
// an idle connection. If so, and if the mail server cannot have accepted the message, attempt
// sends the message again over a new connection.
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

// acquire returns an idle connection or a new one. reused is true for an idle connection.
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

// release keeps a connection for the next message. It closes a broken connection.
func (s *smtpSender) release(c *conn, failed *failure) {
	if failed != nil && failed.broken() {
		c.client = nil // without a client, close does not send QUIT, which would get no reply
	}
	if c.client == nil {
		s.drop(c)
		return
	}
	c.idleSince = time.Now()
	s.keep(c)
}

// keep stores an idle connection in the channel, or closes it if the channel is full. The
// channel can be full after closeIdle took a connection out of it, because another call may
// have opened a connection since then.
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

// closeIdle closes the connections that were not used after the given time.
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

// close implements sender. It closes the connections. The caller must first wait until all
// calls of send have returned.
func (s *smtpSender) close() error {
	close(s.stop)
	s.wg.Wait()
	s.closeIdle(time.Now())
	return nil
}
