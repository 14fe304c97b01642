package main

import (
	"cmp"
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
	drainTime          = 7 * time.Second // for calls that run when a signal comes; all of a stop takes 10 s at most
	finishTime         = time.Second     // for jobs, for jobs that are cut off, and for what has to be written last
	defaultConnections = 4096

	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
)

// server is one running service: its listeners, its jobs and its housekeeping.
type server struct {
	log      *slog.Logger
	service  *audience.Service
	indexes  *indexadvisor.Advisor
	store    audience.Store
	jobs     jobs.Client
	api      *http.Server
	places   int // for connections
	ops      *opsServer
	calls    *rpc.Handler
	pages    *web.Handler
	stopping atomic.Bool
	cut      context.CancelFunc // ends the calls that outlast drainTime
	halt     context.CancelFunc // ends the housekeeping
	work     sync.WaitGroup
	failed   chan error
}

// rooms are what a server puts together.
type rooms struct {
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

func newServer(c config.Serve, r rooms) (*server, error) {
	queue, err := r.store.jobs(jobs.Config(jobs.Options{Service: r.service, Store: r.store, Mailer: r.mailer, Mails: 2 * c.MailConnections, Poster: r.hooks, Indexes: r.indexes, Log: r.quiet}))
	if err != nil {
		return nil, err
	}
	calls, cut := context.WithCancel(context.Background())
	s := &server{log: r.log, service: r.service, indexes: r.indexes, store: r.store, jobs: queue, ops: r.ops, cut: cut, places: cmp.Or(c.Connections, defaultConnections), failed: make(chan error, 1)}
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
		// No write time-out: long searches stream, and have time limits of their own.
		MaxHeaderBytes: 64 << 10,
		BaseContext:    func(net.Listener) context.Context { return calls },
		ErrorLog:       slog.NewLogLogger(r.quiet.Handler(), slog.LevelWarn),
	}
	return s, nil
}

// ServeHTTP is everything on the API's address. It is no ServeMux: that one
// redirects paths which the API forgives.
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

func answer(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte("ok\n")) // a client that is gone needs no answer
}

// start begins to serve; run must follow when it succeeds.
func (s *server) start(ctx context.Context, listener net.Listener) error {
	// The queue outlives ctx, which ends when the draining begins.
	if err := s.jobs.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	ctx, s.halt = context.WithCancel(ctx)
	s.work.Go(func() { s.keepHouse(ctx) })
	s.work.Go(s.ops.serve)
	s.work.Go(func() {
		if err := s.api.Serve(netutil.LimitListener(listener, s.places)); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	})
	return nil
}

// run waits for ctx to end, or for serving to fail, and then stops everything.
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

// stop ends everything within 10 s: calls first, since they may store jobs and
// use keys.
func (s *server) stop() error {
	s.stopping.Store(true)
	s.calls.Drain()
	ctx, done := context.WithTimeout(context.Background(), drainTime)
	defer done()
	if err := s.api.Shutdown(ctx); err != nil {
		s.log.Warn("calls were cut off that took too long to finish")
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

// stopJobs lets mails that are being sent go out: cut off, some would be sent
// twice. What takes longer is put back.
func (s *server) stopJobs() {
	soft, done := context.WithTimeout(context.Background(), finishTime)
	defer done()
	if s.jobs.Stop(soft) == nil {
		return
	}
	hard, done := context.WithTimeout(context.Background(), finishTime)
	defer done()
	if err := s.jobs.StopAndCancel(hard); err != nil {
		s.log.Warn("a job was left behind; it is taken up again in some minutes", "error", err)
	}
}

// keepHouse does what is to be done now and then, until ctx ends.
func (s *server) keepHouse(ctx context.Context) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	minute := time.NewTicker(time.Minute)
	defer minute.Stop()
	hour := time.NewTicker(time.Hour)
	defer hour.Stop()
	err := s.indexes.Reconcile(ctx)
	for failing := false; ; {
		if err != nil && !failing && ctx.Err() == nil { // once, while the database is away
			s.log.Error("housekeeping", "error", err)
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
			err = s.service.ForgetRetries(ctx)
		}
	}
}
