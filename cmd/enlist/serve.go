package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"

	"enlist/internal/config"
	"enlist/internal/demo"
	"enlist/internal/files"
	"enlist/internal/imports/sheet"
	"enlist/internal/messages/linkcheck"
	"enlist/internal/webhooks/post"
)

// enlist serve: opens the database and listeners, starts the server and waits for a signal.
// server.go has the server itself.

// serveCommand has the flags of config.Serve.
type serveCommand struct {
	config.Serve
	variables []string    // names of the variables of all flags
	users     []demo.User // whom the banner gives links to sign in; none: the first user
}

// bootstrapKey is the environment variable with the first key of a new database.
// It is not a flag, because every user of the machine can see the flags of a process.
const bootstrapKey = "ENLIST_BOOTSTRAP_KEY"

// Run serves until a signal arrives. After the first SIGINT or SIGTERM the server finishes running calls, and restore
// removes the signal handler. So a second signal ends the process at once.
func (c *serveCommand) Run(ctx context.Context, out *console) error {
	c.BounceSecret, c.BounceKey = out.getenv("ENLIST_BOUNCE_SECRET"), out.getenv("ENLIST_BOUNCE_KEY")
	c.FirstUser = out.getenv("ENLIST_FIRST_USER")
	c.OTLPEndpoint = cmp.Or(c.OTLPEndpoint, out.getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
	key := out.getenv(bootstrapKey)
	if err := checkStart(c.Serve, key); err != nil {
		return &usageError{err}
	}
	setMemory(out, c.Serve)
	if len(out.cluster) > 0 {
		newLog(out, c.Serve, c.LogLevel).Info("variables of the cluster for a service called enlist are ignored", "names",
			out.cluster)
	}
	ctx, restore := untilSignal(ctx)
	defer restore()
	return serveDespiteFullDisk(ctx, c.Listen, newLog(out, c.Serve, c.LogLevel), func() error {
		return c.serve(ctx, restore, out, key)
	})
}

// setMemory sets how much memory Go uses, unless the variables of Go say it.
func setMemory(out *console, c config.Serve) {
	if out.getenv("GOGC") == "" {
		debug.SetGCPercent(200) // uses a few MiB more and saves 5 % of a call's processor time
	}
	if out.getenv("GOMEMLIMIT") == "" {
		// The rest is for memory that Go does not count: SQLite, the program itself and thread stacks.
		debug.SetMemoryLimit(int64(c.Memory) / 16 * 11)
	}
}

// serve runs the server until ctx ends. It calls ending before it waits for the running calls. The deferred functions
// run in reverse order: the mailer closes after the server has stopped, and the database closes last.
func (c *serveCommand) serve(ctx context.Context, ending func(), out *console, key string) (err error) {
	r := components{log: newLog(out, c.Serve, c.LogLevel), quiet: quieter(out, c.Serve)}
	tracer, err := newTracer(c.Serve, r.quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tracer.close()) }()
	r.trace = tracer.calls
	r.store, err = openDatabase(ctx, c.Serve, true, r.quiet, tracer.statements)
	if ctx.Err() != nil && err != nil {
		return nil // a signal arrived while serve waited for the database
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.store.Close()) }()
	if err := c.openService(ctx, &r); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return next(err, "choose another address with --listen")
	}
	defer listener.Close() // for errors before the server starts; the HTTP server closes it otherwise
	defer r.closeListeners()
	if err := c.openListeners(ctx, &r, listener.Addr()); err != nil {
		return err
	}
	r.mailer, r.links, err = newMailer(ctx, c.Serve, r.service, listener.Addr(), r.quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.mailer.Close()) }()
	if err := c.connect(&r, listener.Addr()); err != nil {
		return err
	}
	r.hooks = post.New(post.Options{Private: c.WebhookPrivate, Version: version(), Log: r.quiet})
	defer r.hooks.Close()
	s, err := newServer(c.Serve, r)
	if err != nil {
		return err
	}
	// The key is created last, because its text is shown only by printBanner: a wrong setting must not lose it.
	first, err := r.service.Bootstrap(ctx, key)
	if err != nil {
		return fmt.Errorf("prepare the database: %w", err)
	}
	signIn, err := c.signInText(ctx, r.service, r.adminListener.url(c.Serve, listener.Addr()))
	if err := startsAnyway(err, r.log); err != nil {
		return fmt.Errorf("prepare the pages: %w", err)
	}
	s.start(ctx, listener)
	printBanner(out, listener.Addr(), c.Serve, r.service.Accounts.Settings().From, first, key != "", signIn)
	return s.run(ctx, ending)
}

// openService builds the Service over the database, and reads the settings that the database has.
func (c *serveCommand) openService(ctx context.Context, r *components) (err error) {
	r.service, r.indexes = newService(r.store)
	declareSettings(r.service, c.Database)
	r.service.SetSending(sendingOf(c.Serve))
	r.service.Imports.SetMemory(sheet.NewMemory(int64(c.Memory) / 4))
	if err := r.service.ReadSettings(ctx); err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	r.backups, err = newScheduler(c.Serve, r.service, r.log)
	if err != nil {
		return err
	}
	if hold, err := r.service.Sending.Held(ctx); err == nil && hold != nil {
		r.log.Warn(heldText(hold) + "; send or discard them with: enlist release")
	}
	return nil
}

// openListeners prepares how clients reach the server, and opens the other listeners. api is the address of the API. Also
// after an error the caller calls closeListeners.
func (c *serveCommand) openListeners(ctx context.Context, r *components, api net.Addr) (err error) {
	r.listeners, err = newListeners(c.Serve, api, r.log)
	if err != nil {
		return err
	}
	r.listeners.options.Untrusted, err = reportUntrusted(ctx, r.service, r.log)
	if err != nil {
		return err
	}
	r.ops, err = newOps(c.OpsListen, limitsOf(c.Serve), r.log)
	if err != nil {
		return err
	}
	r.adminListener, err = newPagesListener(c.Serve, api, r.log)
	return err
}

// closeListeners closes what openListeners has opened.
func (r *components) closeListeners() {
	r.adminListener.close()
	r.ops.close()
	if r.listeners != nil {
		r.listeners.close()
	}
}

// connect gives the Services the public URL and the mailer, and prepares the events of --smtp-provider.
func (c *serveCommand) connect(r *components, api net.Addr) (err error) {
	r.service.Files.SetFileSettings(files.FileSettings{PublicURL: publicURL(c.Serve, api), Key: r.links})
	r.service.Messages.SetComposer(r.mailer)
	if c.CheckLinks == "on" { // neither in tests nor in the demo, which set no flags
		r.service.Messages.SetLinkChecker(linkcheck.New(linkcheck.Options{Private: c.WebhookPrivate, Version: version()}))
	}
	r.service.Users.SetSettings(usersSettings(c.Serve, r.adminListener.url(c.Serve, api), r.links, r.mailer))
	r.bounces, err = newFeedback(c.Serve, r.service, r.links, r.log)
	return err
}

// newLog returns a Logger that writes records of the given level and higher levels to stderr.
func newLog(out *console, c config.Serve, level string) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		panic(err) // the flag allows only valid levels
	}
	options := &slog.HandlerOptions{Level: least}
	if c.LogFormat == "json" || c.LogFormat == "auto" && !isTerminal(out.stderr) {
		return slog.New(slog.NewJSONHandler(out.stderr, options))
	}
	return slog.New(slog.NewTextHandler(out.stderr, options))
}

// quieter returns the Logger for libraries. At level info it logs only warnings and errors, because the other messages
// of libraries matter only for debugging.
func quieter(out *console, c config.Serve) *slog.Logger {
	level := c.LogLevel
	if level == "info" {
		level = "warn"
	}
	return newLog(out, c, level)
}
