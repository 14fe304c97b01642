package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/audience"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/time/rate"
)

const (
	// placeTime is how long a message waits for a connection and for what the rate
	// allows, probeTime for the end of a pause, and messageTime how long it may
	// take from then on. One that begins late has as long as any other, or a slow
	// server would be left when it has accepted it and before it says so. All of
	// it together is less than a job has.
	placeTime   = 10 * time.Second
	probeTime   = longestPause + 3*time.Second
	messageTime = 40 * time.Second

	// idleTime is how long a connection is kept that nobody uses. Mail servers
	// end them after a minute or more.
	idleTime = 20 * time.Second

	defaultConnections = 8

	// A server that takes some connections and refuses one more has enough of
	// them: for crowdedTime the others are waited for, sharingTime each time.
	crowdedTime = 30 * time.Second
	sharingTime = 2 * time.Second
)

// smtpSender gives messages to a mail server, over a few connections that are
// kept. decisions.md: 50
//
// What the server says about a message is an error of that message. When the
// server cannot be talked with at all, everybody waits until one has found out
// that it can again; who runs out of time has not tried.
type smtpSender struct {
	server mailServer
	form   *form
	log    *slog.Logger
	limit  *rate.Limiter
	places chan struct{} // one for each connection that may be there
	idle   chan *line
	lines  atomic.Int64 // connections that there are
	pause  *pause

	crowded atomic.Int64 // until then no more connections are tried, in Unix seconds
	stop    chan struct{}
	wg      sync.WaitGroup
}

func newSMTPSender(at mailServer, t Transport, f *form) *smtpSender {
	n := t.Connections
	if n <= 0 {
		n = defaultConnections
	}
	limit := rate.Inf
	if t.Rate > 0 {
		limit = rate.Limit(t.Rate)
	}
	s := &smtpSender{
		server: at, form: f, log: t.Log, limit: rate.NewLimiter(limit, 1), pause: newPause(),
		places: make(chan struct{}, n), idle: make(chan *line, n), stop: make(chan struct{}),
	}
	s.wg.Go(s.tidy)
	return s
}

func (s *smtpSender) send(ctx context.Context, m *gomail.Msg, about *audience.DeliveryKey) error {
	p, err := s.form.parcel(m, about)
	if err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, placeTime)
	defer cancel()
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-waiting.Done():
		return untried(waiting.Err())
	}
	if err := s.limit.Wait(waiting); err != nil {
		return untried(err)
	}
	waiting, cancel = context.WithTimeout(ctx, probeTime)
	defer cancel()
	probe, err := s.pause.enter(waiting)
	if err != nil {
		return untried(err)
	}
	ctx, cancel = context.WithTimeout(ctx, messageTime)
	defer cancel()
	failed, look := s.try(ctx, p)
	if began := s.pause.leave(probe, look); began > 0 {
		s.log.Warn("the mail server does not answer", "error", brief{failed.err}, "pause", began)
	}
	if failed == nil {
		return nil
	}
	return failed.undelivered()
}

func untried(why error) error { return fmt.Errorf("%w: %w", audience.ErrSendingPaused, why) }

// try sends a parcel on a connection that is there or a new one. What was kept
// may turn out to be dead: then, if the server can have taken nothing, the
// parcel goes out once more on a new one.
func (s *smtpSender) try(ctx context.Context, p *parcel) (*failure, outlook) {
	l, kept, err := s.get(ctx)
	for err == nil {
		failed := l.deliver(ctx, p)
		s.put(l, failed)
		switch {
		case failed == nil:
			return nil, up
		case !failed.broken():
			return failed, up
		case ctx.Err() != nil:
			return failed, unclear
		case !kept || !failed.untaken():
			if failed.stage == stageMail {
				return failed, down
			}
			return failed, unclear
		}
		kept = false
		l, err = s.dial(ctx)
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return &failure{stageConnect, err}, unclear
	}
	return &failure{stageConnect, err}, down
}

// get returns a connection that is kept, or a new one.
func (s *smtpSender) get(ctx context.Context) (l *line, kept bool, err error) {
	select {
	case l := <-s.idle:
		return l, true, nil
	default:
	}
	if s.lines.Load() == 0 || time.Now().Unix() >= s.crowded.Load() {
		if l, err = s.dial(ctx); err == nil || s.lines.Load() == 0 {
			return l, false, err
		}
		s.crowded.Store(time.Now().Add(crowdedTime).Unix())
	}
	timer := time.NewTimer(sharingTime)
	defer timer.Stop()
	select {
	case l := <-s.idle:
		return l, true, nil
	case <-ctx.Done():
	case <-timer.C:
	}
	l, err = s.dial(ctx)
	return l, false, err
}

func (s *smtpSender) dial(ctx context.Context) (*line, error) {
	l, err := s.server.dial(ctx)
	if err == nil {
		s.lines.Add(1)
	}
	return l, err
}

// put keeps a connection for the next message, unless it is broken.
func (s *smtpSender) put(l *line, failed *failure) {
	if failed != nil && failed.broken() {
		l.client = nil // nobody is there to say good-bye to
	}
	if l.client == nil {
		s.drop(l)
		return
	}
	l.idle = time.Now()
	s.keep(l)
}

// keep keeps a connection while there is room: tidy may have one in hand that
// another was made instead of.
func (s *smtpSender) keep(l *line) {
	select {
	case s.idle <- l:
	default:
		s.drop(l)
	}
}

func (s *smtpSender) drop(l *line) {
	s.lines.Add(-1)
	l.hangUp()
}

// tidy ends connections that were not used for some time.
func (s *smtpSender) tidy() {
	ticker := time.NewTicker(idleTime / 4)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.hangUp(time.Now().Add(-idleTime))
		case <-s.stop:
			return
		}
	}
}

// hangUp ends the connections that were not used since a time.
func (s *smtpSender) hangUp(since time.Time) {
	for range len(s.idle) {
		select {
		case l := <-s.idle:
			if l.idle.After(since) {
				s.keep(l)
			} else {
				s.drop(l)
			}
		default:
		}
	}
}

// close ends the connections. Nobody sends any more.
func (s *smtpSender) close() error {
	close(s.stop)
	s.wg.Wait()
	s.hangUp(time.Now())
	return nil
}
