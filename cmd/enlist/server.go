package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/admin"
	"enlist/internal/app"
	"enlist/internal/backup"
	"enlist/internal/config"
	"enlist/internal/db"
	"enlist/internal/db/jobqueue"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"
	"enlist/internal/httpapi"
	"enlist/internal/httpserver"
	"enlist/internal/jobs"
	"enlist/internal/mail"
	"enlist/internal/mail/feedback"
	"enlist/internal/rpc"
	"enlist/internal/rpc/reference"
	"enlist/internal/search/advisor"
	"enlist/internal/sending"
	"enlist/internal/web"
	"enlist/internal/webhooks/post"
)

// The running service: it starts the API's HTTP server, the queue, periodic work and metrics. It stops them in a
// fixed order.

const (
	// Stopping takes 10 s at most. Calls that run when a signal arrives get drainTime. Each of
	// three further steps gets finishTime: jobs end, cancelled jobs end, the last writes.
	drainTime  = 7 * time.Second
	finishTime = time.Second

	headerTime = 10 * time.Second // longest time that a client may take to send the header of a request
	idleTime   = 2 * time.Minute  // the server closes a connection after this time without a request
	pingTime   = 30 * time.Second // a connection of HTTP/2 is asked for a sign of life after this time without one

	// A connection of HTTP/2 may send so much of its bodies before handlers read them, and have so many requests at the
	// same time. With Go's MiB for each, 1,000 connections took 1.2 GB before any limit of memory.
	unreadBody = 64 << 10
	streams    = 100
)

// server is one running service: its listeners, its queue and its periodic work.
type server struct {
	components
	jobs        *jobqueue.Client
	batches     *sending.BatchSender
	api         *http.Server
	ownPages    *http.Server // of --admin-listen; nil without it
	connections *httpserver.Connections
	calls       *rpc.Handler
	reference   func() *reference.Handler // made at the first request
	pages       *web.Handler
	admin       func() *admin.Handler // made at the first request
	files       *httpapi.Handler
	paths       *httpserver.Mux
	stopping    atomic.Bool
	cut         context.CancelFunc // cancels the calls that run longer than drainTime
	halt        context.CancelFunc // ends periodic work
	work        sync.WaitGroup
	failed      chan error // receives the error that ended an HTTP server, at most one of each
}

// components are the parts that the command serve creates and newServer connects.
type components struct {
	store         *database
	service       *app.App
	indexes       *advisor.Advisor
	mailer        *mail.Mailer
	hooks         *post.Client
	links         enlist.LinkKey
	ops           *opsServer
	adminListener *pagesListener // of --admin-listen; nil: the listener of the API serves the pages of users too
	listeners     *listeners
	trace         rpc.StartSpan     // nil: no traces
	backups       *backup.Scheduler // nil: this process makes no backups
	bounces       *feedback.Handler // nil: there is no --smtp-provider
	log           *slog.Logger
	quiet         *slog.Logger // Logger for libraries
}

// newServer connects the components. Nothing runs before the caller calls start.
func newServer(c config.Serve, r components) (*server, error) {
	mails := sending.SenderOptions{Mailer: r.mailer, Connections: c.MailConnections, Log: r.quiet}
	if c.MailConnections > 0 {
		mails.Slots = sending.NewSlots(2 * c.MailConnections)
	}
	sender := r.service.Sending.NewBatchSender(mails)
	queues := jobs.Config(jobs.Options{Service: r.service, Store: r.store, Mailer: r.mailer, Slots: mails.Slots,
		Batches: sender, Poster: r.hooks, Log: r.quiet})
	queue, err := r.store.jobs(queues)
	if err != nil {
		return nil, err
	}
	calls, cut := context.WithCancel(context.Background())
	s := &server{components: r, jobs: queue, batches: sender, cut: cut, failed: make(chan error, 2)}
	s.connections = httpserver.NewConnections(cmp.Or(c.Connections, 4096), r.listeners.options.Proxies)
	r.listeners.limit(s.connections)
	s.pages = web.New(r.service.Sending, r.service.Forms, r.service.Files, r.service.Messages, r.links, r.log)
	s.pages.SetMails(mailsLeave(c, r.service))
	s.calls = rpc.New(r.service, rpc.Options{
		Version:    version(),
		Memory:     int64(c.Memory),
		MaxBody:    c.MaxBody(),
		Log:        r.log,
		Trace:      r.trace,
		Registerer: r.ops.registerer(),
	})
	s.reference = sync.OnceValue(func() *reference.Handler {
		d := rpc.Describe(version())
		return reference.New(&d, s.calls.OpenRPC())
	})
	s.pages.SetMemory(s.calls.Bodies())
	pages := admin.Options{Delay: s.calls.DelayFailure, Bodies: s.calls.Bodies(), Server: mailServerOf(c, r, queue),
		Home:      homeOf(c, r.listeners),
		PublicURL: r.adminListener.linksURL(c), Secure: c.HasTLS() || strings.HasPrefix(c.PublicURL, "https://"),
		Version: version(), Log: r.log, SettingsPage: s.pages.SettingsExample}
	s.admin = sync.OnceValue(func() *admin.Handler { return admin.New(r.service, pages) })
	s.files = httpapi.New(r.service, httpapi.Options{Delay: s.calls.DelayFailure, Limit: s.calls.LimitRate, Log: r.log})
	s.paths = s.routes()
	s.registerMetrics(c, slices.Sorted(maps.Keys(queues.Queues)))
	s.api = &http.Server{
		Handler:           httpserver.Handler(s.paths, r.listeners.options),
		TLSConfig:         r.listeners.tls,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		HTTP2: &http.HTTP2Config{SendPingTimeout: pingTime, WriteByteTimeout: pingTime, MaxConcurrentStreams: streams,
			MaxReceiveBufferPerConnection: unreadBody, MaxReceiveBufferPerStream: unreadBody},
		// There is no WriteTimeout, because replies to long searches are streamed: httpserver.Handler has the deadlines.
		MaxHeaderBytes: 16 << 10,
		ConnState:      s.connections.State,
		ConnContext:    s.connections.Context,
		BaseContext:    func(net.Listener) context.Context { return calls },
		ErrorLog:       slog.NewLogLogger(r.quiet.Handler(), slog.LevelWarn),
	}
	if r.adminListener != nil {
		s.ownPages = newPagesServer(s.api, httpserver.Handler(s.pageRoutes(), r.listeners.options))
	}
	return s, nil
}

// registerMetrics registers the metrics of all parts, if there is a listener for them.
func (s *server) registerMetrics(c config.Serve, queues []string) {
	metrics := s.ops.registerer()
	if metrics == nil {
		return
	}
	metrics.MustRegister(s.indexes.Metrics()...)
	metrics.MustRegister(s.store.metrics...)
	metrics.MustRegister(s.mailer.Metrics()...)
	metrics.MustRegister(s.files.Metrics()...)
	metrics.MustRegister(diskMetrics(c)...)
	metrics.MustRegister(s.listeners.certificateMetric())
	metrics.MustRegister(newFiguresCollector(s.service, s.ready, queues))
	if s.bounces != nil {
		metrics.MustRegister(s.bounces.Metrics()...)
	}
	if s.backups != nil {
		metrics.MustRegister(s.backups.Metrics()...)
	}
}

// routes returns the handler of each path on the API's address.
func (s *server) routes() *httpserver.Mux {
	mux := httpserver.NewMux()
	mux.HandleFunc("/healthz", s.health)
	mux.HandleFunc("/readyz", s.health)
	s.pages.Routes(mux)
	s.files.Routes(mux)
	for _, path := range reference.Paths() {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { s.reference().ServeHTTP(w, r) })
	}
	if s.bounces != nil {
		mux.Handle(feedback.Prefix, s.bounces)
	}
	if s.adminListener == nil {
		mux.HandleFunc(admin.Prefix, s.serveAdmin)
		mux.HandleFunc("GET /{$}", s.root)
	}
	for _, path := range []string{"/rpc", "/api/jsonrpcserver", "/"} { // the first two are found faster
		mux.Handle(path, s.calls)
	}
	return mux
}

// health answers /healthz and /readyz.
func (s *server) health(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/healthz" {
		answer(w, nil)
		return
	}
	err := s.ready(r.Context())
	answer(w, err)
	if err != nil {
		return
	}
	if hold, err := s.service.Sending.Held(r.Context()); err == nil && hold != nil {
		fmt.Fprintln(w, heldText(hold))
	}
}

// ready returns an error if the server is stopping, or if the database does not answer or stores no changes.
func (s *server) ready(ctx context.Context) error {
	if s.stopping.Load() {
		return errors.New("stopping")
	}
	if err := s.store.Ready(ctx); err != nil {
		s.log.Error("not ready", "error", err)
		switch {
		case errors.Is(err, sqlite.ErrMoved):
			return errors.New("the database file was moved, deleted or replaced: the log has the path")
		case errors.Is(err, db.ErrFull):
			return db.ErrFull
		case errors.Is(err, db.ErrDamaged):
			return db.ErrDamaged
		}
		return errors.New("the database does not answer, or does not store changes: the log has the reason")
	}
	return nil
}

// start starts all goroutines of the server. The caller must call run or stop.
func (s *server) start(ctx context.Context, listener net.Listener) {
	// ctx ends at the first signal, but the queue must run longer: stop ends the queue.
	s.jobs.Start(context.WithoutCancel(ctx))
	s.batches.Start()
	ctx, s.halt = context.WithCancel(ctx)
	s.work.Go(func() { jobs.Repeat(ctx, s.periodic(), s.store.Watch, s.log) })
	s.work.Go(func() { s.inspectByNight(ctx) })
	if s.backups != nil {
		s.work.Go(func() { s.backups.Run(ctx) })
	}
	s.work.Go(func() { tryMailServer(ctx, s.mailer, s.log) })
	s.work.Go(s.ops.serve)
	s.work.Go(func() { s.listeners.serve(s.log) })
	s.work.Go(func() { s.listeners.watch(ctx) })
	s.work.Go(func() { s.listeners.warnOfCertificate(ctx, s.log) })
	s.work.Go(func() { s.serve(s.api, listener) })
	if s.ownPages != nil {
		s.work.Go(func() { s.serve(s.ownPages, s.adminListener) })
	}
}

// serve answers requests until the server stops.
func (s *server) serve(of *http.Server, listener net.Listener) {
	listener = s.connections.Limit(listener)
	serve := of.Serve
	if of.TLSConfig != nil {
		serve = func(l net.Listener) error { return of.ServeTLS(l, "", "") }
	}
	if err := serve(listener); !errors.Is(err, http.ErrServerClosed) {
		s.failed <- err
	}
}

// run waits until ctx ends or the HTTP server fails, and then stops everything. If ctx has ended, run first calls
// ending.
func (s *server) run(ctx context.Context, ending func()) error {
	var err error
	select {
	case err = <-s.failed:
	case <-ctx.Done():
		ending()
		s.log.Info("stopping: waiting for running calls to finish")
	}
	return errors.Join(err, s.stop())
}

// stop ends everything within 10 s. Calls end first, because they add jobs and
// use keys. The last step stores when keys and indexes were last used.
func (s *server) stop() error {
	s.stopping.Store(true)
	s.listeners.close()
	s.calls.Drain()
	s.files.Drain()
	ctx, done := context.WithTimeout(context.Background(), drainTime)
	defer done()
	if s.ownPages != nil {
		s.work.Go(func() {
			if s.ownPages.Shutdown(ctx) != nil {
				s.ownPages.Close()
			}
		})
	}
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
	return errors.Join(s.service.Accounts.WriteKeyUse(last), s.indexes.WriteUse(last))
}

// stopJobs waits finishTime for running jobs to end, because a mail that is cancelled while it is sent may be sent
// twice. Then it cancels the remaining jobs, and the queue runs these jobs again later.
func (s *server) stopJobs() {
	soft, done := context.WithTimeout(context.Background(), finishTime)
	defer done()
	s.work.Go(func() { s.batches.Stop(soft) })
	if s.jobs.Stop(soft) == nil {
		return
	}
	hard, done := context.WithTimeout(context.Background(), finishTime)
	defer done()
	if err := s.jobs.StopAndCancel(hard); err != nil {
		s.log.Warn("a job did not stop; it runs again some seconds after the end of this process", "error", err)
	}
}

// periodic returns what the process repeats.
func (s *server) periodic() []db.Periodic {
	heap := new(heapWatch)
	heap.returnMemory() // of the start
	return slices.Concat(s.service.Periodic(), s.indexes.Periodic(), []db.Periodic{
		{Name: "settings", Every: time.Second, Do: s.service.ReadSettings, IfChanged: true},
		{Name: "memory", Every: 15 * time.Second, Do: heap.check},
	})
}
