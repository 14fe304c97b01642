package main

// The running service: it starts the API's HTTP server, the queue, maintenance and metrics, and stops them in order.

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/audience"
	"enlist/internal/config"
	"enlist/internal/indexadvisor"
	"enlist/internal/jobs"
	"enlist/internal/mail"
	"enlist/internal/rpc"
	"enlist/internal/web"
	"enlist/internal/webhook"

	"golang.org/x/net/netutil"
)

const (
	// Stopping takes 10 s at most. Calls that run when a signal arrives get drainTime. Jobs to
	// end, cancelled jobs to end, and the last writes get finishTime each.
	drainTime  = 7 * time.Second
	finishTime = time.Second

	headerTime = 10 * time.Second // for a client to send the header of a request
	idleTime   = 2 * time.Minute  // before an unused connection is closed
)

// server is one running service: its listeners, its queue and its maintenance.
type server struct {
	components
	jobs        jobs.Client
	api         *http.Server
	connections int // largest number of concurrent connections
	calls       *rpc.Handler
	pages       *web.Handler
	stopping    atomic.Bool
	cut         context.CancelFunc // cancels the calls that run longer than drainTime
	halt        context.CancelFunc // ends maintenance
	work        sync.WaitGroup
	failed      chan error // the error that ended the HTTP server, one at most
}

// components are the parts that serve builds and a server connects.
type components struct {
	store   *database
	service *audience.Service
	indexes *indexadvisor.Advisor
	mailer  *mail.Mailer
	hooks   *webhook.Client
	links   audience.LinkKey
	ops     *opsServer
	log     *slog.Logger
	quiet   *slog.Logger // for libraries
}

// newServer connects the components. Nothing runs before start.
func newServer(c config.Serve, r components) (*server, error) {
	queue, err := r.store.jobs(jobs.Config(jobs.Options{Service: r.service, Store: r.store, Mailer: r.mailer,
		Mails: 2 * c.MailConnections, Poster: r.hooks, Indexes: r.indexes, Log: r.quiet}))
	if err != nil {
		return nil, err
	}
	calls, cut := context.WithCancel(context.Background())
	s := &server{components: r, jobs: queue, cut: cut, connections: c.Connections, failed: make(chan error, 1)}
	s.pages = web.New(r.service, r.links, r.log)
	s.calls = rpc.New(r.service, rpc.Options{
		Version:       version(),
		MaxBody:       int64(c.MaxBody),
		MaxCalls:      c.MaxCalls,
		ReadTimeout:   c.ReadTimeout,
		CallWait:      c.CallWait,
		FlushTimeout:  c.FlushTimeout,
		StreamTimeout: c.StreamTimeout,
		Log:           r.log,
		Registerer:    r.ops.registerer(),
	})
	if metrics := r.ops.registerer(); metrics != nil {
		metrics.MustRegister(r.indexes.Metrics()...)
	}
	s.api = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		// There is no WriteTimeout: long searches stream, and rpc limits their time.
		MaxHeaderBytes: 64 << 10,
		BaseContext:    func(net.Listener) context.Context { return calls },
		ErrorLog:       slog.NewLogLogger(r.quiet.Handler(), slog.LevelWarn),
	}
	return s, nil
}

// ServeHTTP serves every path on the API's address. A ServeMux is not used, because it redirects paths such as //,
// which the API accepts.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/healthz":
		answer(w, nil)
	case "/readyz":
		answer(w, s.ready(r.Context()))
	default:
		if web.IsLinkPath(r.URL.Path) {
			s.pages.ServeHTTP(w, r)
			return
		}
		s.calls.ServeHTTP(w, r)
	}
}

// ready reports whether the service can take calls: it is not stopping and the database answers.
func (s *server) ready(ctx context.Context) error {
	if s.stopping.Load() {
		return errors.New("stopping")
	}
	if err := s.store.Ready(ctx); err != nil {
		s.log.Error("not ready", "error", err)
		return errors.New("the database does not answer")
	}
	return nil
}

// answer writes status 200, or 503 with the error.
func answer(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte("ok\n")) // an error means that the client has disconnected
}

// start starts all goroutines of the server. If it succeeds, run or stop must follow.
func (s *server) start(ctx context.Context, listener net.Listener) error {
	// The queue must outlive ctx, which ends at the first signal: stop ends it later.
	if err := s.jobs.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	ctx, s.halt = context.WithCancel(ctx)
	s.work.Go(func() { s.maintain(ctx) })
	s.work.Go(s.ops.serve)
	s.work.Go(func() {
		if err := s.api.Serve(netutil.LimitListener(listener, s.connections)); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	})
	return nil
}

// run waits until ctx ends or the HTTP server fails, and then stops everything. It calls ending before it stops.
func (s *server) run(ctx context.Context, ending func()) error {
	var err error
	select {
	case err = <-s.failed:
	case <-ctx.Done():
		ending()
		s.log.Info("stopping: finishing the calls that run")
	}
	return errors.Join(err, s.stop())
}

// stop ends everything within 10 s. It ends calls first, because they store
// jobs and use keys; the times of last use are written at the end.
func (s *server) stop() error {
	s.stopping.Store(true)
	s.calls.Drain()
	ctx, done := context.WithTimeout(context.Background(), drainTime)
	defer done()
	if err := s.api.Shutdown(ctx); err != nil {
		s.log.Warn("calls were cut off: they did not finish in time")
		s.cut()
		s.api.Close()
	}
	s.cut()
	s.stopJobs()
	s.halt()
	s.ops.close()
	s.work.Wait()
	last, done := context.WithTimeout(context.Background(), finishTime)
	defer done()
	return errors.Join(s.service.WriteKeyUse(last), s.indexes.WriteUse(last))
}

// stopJobs waits finishTime for running jobs, because a mail that is cancelled while it is sent may be sent twice.
// Then it cancels them, and the queue puts them back.
func (s *server) stopJobs() {
	soft, done := context.WithTimeout(context.Background(), finishTime)
	defer done()
	if s.jobs.Stop(soft) == nil {
		return
	}
	hard, done := context.WithTimeout(context.Background(), finishTime)
	defer done()
	if err := s.jobs.StopAndCancel(hard); err != nil {
		s.log.Warn("a job did not stop; the queue resumes it after some minutes", "error", err)
	}
}

// maintain runs the periodic work until ctx ends. Every second it deletes completed jobs and schedules index builds.
// Every minute it writes times of use and reconciles indexes, and every hour it deletes old idempotency results.
func (s *server) maintain(ctx context.Context) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	minute := time.NewTicker(time.Minute)
	defer minute.Stop()
	hour := time.NewTicker(time.Hour)
	defer hour.Stop()
	err := s.indexes.Reconcile(ctx)
	for failing := false; ; {
		if err != nil && !failing && ctx.Err() == nil { // log an outage of the database only once
			s.log.Error("maintenance failed", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-second.C:
			err = errors.Join(jobs.Sweep(ctx, s.jobs), s.indexes.ScheduleBuilds(ctx))
		case <-minute.C:
			err = errors.Join(s.service.WriteKeyUse(ctx), s.indexes.WriteUse(ctx), s.indexes.Reconcile(ctx))
		case <-hour.C:
			err = s.service.DeleteExpiredRetries(ctx)
		}
	}
}
