package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"enlist/internal/audience"
	"enlist/internal/config"
	"enlist/internal/indexadvisor"
	"enlist/internal/webhook"
)

type serveCommand struct {
	config.Serve
}

// bootstrapKey names the environment variable with the first key that a new
// database is to have. It is no flag: every user of a machine can read those.
const bootstrapKey = "ENLIST_BOOTSTRAP_KEY"

// Run serves until a signal comes. The first one drains; the second ends the
// process at once, since signals have their usual effect again by then.
func (c *serveCommand) Run(ctx context.Context, out *console) error {
	if err := c.Check(); err != nil {
		return &usageError{err}
	}
	if out.getenv("GOGC") == "" {
		debug.SetGCPercent(200) // a few MiB for 5 % of a call's processor time
	}
	key := out.getenv(bootstrapKey)
	if key != "" && !audience.ValidKeyText(key) {
		return usage("%s is not 64 lower-case hexadecimal characters: make one with: openssl rand -hex 32", bootstrapKey)
	}
	ctx, restore := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer restore()
	return c.serve(ctx, restore, out, key)
}

// serve serves until ctx ends, and calls ending before it begins to drain.
func (c *serveCommand) serve(ctx context.Context, ending func(), out *console, key string) (err error) {
	log := newLog(out, c.LogLevel)
	store, err := openDatabase(ctx, c.Database, limitsOf(c.Serve), true, quieter(out, c.LogLevel))
	if ctx.Err() != nil && err != nil {
		return nil // told to stop while it waited for the database
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	rules := indexadvisor.DefaultRules()
	rules.Most = c.SearchIndexes
	rules.CoveringFilters = !c.IsPostgres() // PostgreSQL reads the Contacts as well
	service, advisor := newService(store, rules)
	first, err := service.Bootstrap(ctx, key)
	if err != nil {
		return fmt.Errorf("prepare the database: %w", err)
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return next(err, "choose another address with --listen")
	}
	defer listener.Close() // a server has closed it by then, as a rule
	ops, err := newOps(c.OpsListen, log)
	if err != nil {
		return err
	}
	defer ops.close()
	quiet := quieter(out, c.LogLevel)
	mailer, links, err := newMailer(ctx, c.Serve, service, listener.Addr(), quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mailer.Close()) }()
	hooks := webhook.New(webhook.Options{Private: c.WebhookPrivate, Version: version()})
	defer hooks.Close()
	s, err := newServer(c.Serve, rooms{store, service, advisor, mailer, hooks, links, ops, log, quiet})
	if err != nil {
		return err
	}
	if err := s.start(ctx, listener); err != nil {
		return err
	}
	greet(out, listener.Addr(), c.Serve, first, key != "")
	return s.run(ctx, ending)
}

// newLog logs to stderr from a level on.
func newLog(out *console, level string) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		panic(err) // an enum of the flag
	}
	return slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: least}))
}

// quieter is the log of libraries, whose news only matter when one looks for a
// mistake: from warnings on, unless the level is debug.
func quieter(out *console, level string) *slog.Logger {
	if level == "info" {
		level = "warn"
	}
	return newLog(out, level)
}
