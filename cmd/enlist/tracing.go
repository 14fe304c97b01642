package main

import (
	"context"
	"log/slog"

	"enlist/internal/config"
	"enlist/internal/rpc"
	"enlist/internal/tracing"

	"github.com/jackc/pgx/v5"
)

// Traces of calls, with --otlp-endpoint.

// tracers are the hooks that make spans. They are nil without --otlp-endpoint, so a call does no work for traces.
type tracers struct {
	calls      rpc.StartSpan
	statements pgx.QueryTracer
	close      func() error // sends the last spans
}

// newTracer returns the hooks for the endpoint of the settings.
func newTracer(c config.Serve, log *slog.Logger) (tracers, error) {
	if c.OTLPEndpoint == "" {
		return tracers{close: func() error { return nil }}, nil
	}
	t, err := tracing.New(c.OTLPEndpoint, version(), log)
	if err != nil {
		return tracers{}, err
	}
	return tracers{t.Call, t.Postgres(), func() error {
		ctx, done := context.WithTimeout(context.Background(), finishTime)
		defer done()
		if err := t.Close(ctx); err != nil {
			log.Warn("the last traces were not sent", "error", err)
		}
		return nil
	}}, nil
}
