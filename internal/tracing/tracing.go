// Package tracing sends traces of calls to an OpenTelemetry collector. A call has a span, and so have the statements on
// PostgreSQL that run in its context. A span has no address, no key, no parameter and no text of an error.
//
// It is used only if the operator sets an endpoint. Package rpc calls Tracer.Call, and package postgres gets the tracer
// of Tracer.Postgres. exporter.go sends the spans. decisions.md: 109
package tracing

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"

	"enlist/api"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tracer makes spans and sends them in the background. It drops spans if the collector takes them too slowly.
type Tracer struct {
	provider *sdk.TracerProvider
	calls    trace.Tracer
}

// New returns a Tracer that sends to a collector, such as http://127.0.0.1:4318, with OTLP over HTTP. The library reads
// OTEL_TRACES_SAMPLER, OTEL_RESOURCE_ATTRIBUTES and OTEL_BSP_SCHEDULE_DELAY from the environment.
func New(endpoint, version string, log *slog.Logger) (*Tracer, error) {
	e, err := newExporter(endpoint, log)
	if err != nil {
		return nil, err
	}
	about, err := resource.New(context.Background(), resource.WithAttributes(attribute.String("service.name", "enlist"),
		attribute.String("service.version", version)), resource.WithFromEnv())
	if err != nil {
		return nil, err
	}
	p := sdk.NewTracerProvider(sdk.WithBatcher(e), sdk.WithResource(about))
	return &Tracer{p, p.Tracer("enlist")}, nil
}

// Call begins the span of a call. method is a published name, and not a text of the caller. The span belongs to the
// trace of the header traceparent (W3C Trace Context), if there is one. Call returns the request with the span in its
// context, the ID of the trace, and a function that ends the span. The ID is "" if the sampler leaves out the trace.
func (t *Tracer) Call(r *http.Request, method string) (traced *http.Request, id string, end func(api.Code)) {
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := t.calls.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("rpc.system.name", "jsonrpc"), attribute.String("rpc.method", method)))
	if span.IsRecording() {
		id = span.SpanContext().TraceID().String()
	}
	return r.WithContext(ctx), id, func(code api.Code) {
		span.SetAttributes(attribute.String("rpc.response.status_code", strconv.Itoa(int(code))))
		if internal, _ := api.FailureName(method); code == internal {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// Postgres returns the tracer of the statements. Their text has no values: these are arguments, which are left out.
func (t *Tracer) Postgres() pgx.QueryTracer {
	return otelpgx.NewTracer(otelpgx.WithTracerProvider(t.provider),
		otelpgx.WithDisableConnectionDetailsInAttributes())
}

// Close sends the spans that were not sent yet, until ctx ends.
func (t *Tracer) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }
