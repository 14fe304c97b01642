package tracing

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// exporter sends spans with OTLP over HTTP, in protobuf. The exporter of OpenTelemetry would do the same, but it adds a
// library for gRPC to the program. This one leaves out events and the texts of errors, which can quote values.
type exporter struct {
	url    string
	header http.Header
	client *http.Client
	log    *slog.Logger
}

// CheckEndpoint returns an error if a text is no URL of a collector.
func CheckEndpoint(endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%q is no URL such as http://127.0.0.1:4318", endpoint)
	}
	return nil
}

// newExporter returns an exporter for an endpoint. The headers of its requests are in OTEL_EXPORTER_OTLP_HEADERS, such
// as Authorization=Basic%20abc.
func newExporter(endpoint string, log *slog.Logger) (*exporter, error) {
	if err := CheckEndpoint(endpoint); err != nil {
		return nil, err
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	e := &exporter{url: u.JoinPath("v1/traces").String(),
		header: http.Header{"Content-Type": {"application/x-protobuf"}},
		client: &http.Client{Timeout: 10 * time.Second, Transport: http.DefaultTransport.(*http.Transport).Clone()},
		log:    log}
	for pair := range strings.SplitSeq(os.Getenv("OTEL_EXPORTER_OTLP_HEADERS"), ",") {
		name, value, _ := strings.Cut(pair, "=")
		if value, err := url.PathUnescape(strings.TrimSpace(value)); err == nil && strings.TrimSpace(name) != "" {
			e.header.Set(strings.TrimSpace(name), value)
		}
	}
	return e, nil
}

// ExportSpans implements sdk.SpanExporter. Spans that the collector does not take are lost.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	body, err := proto.Marshal(encode(spans))
	if err != nil {
		return err
	}
	if err := e.post(ctx, body); err != nil {
		e.log.Warn("traces were not sent", "spans", len(spans), "error", err)
	}
	return nil
}

func (e *exporter) post(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = e.header
	reply, err := e.client.Do(r)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	io.Copy(io.Discard, io.LimitReader(reply.Body, 64<<10)) // so that the connection is used again
	if reply.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answered %s", reply.Status)
	}
	return nil
}

// Shutdown implements sdk.SpanExporter.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

// encode returns the spans as an ExportTraceServiceRequest, which has the same fields as TracesData.
func encode(spans []sdk.ReadOnlySpan) *otlp.TracesData {
	all := &otlp.ResourceSpans{}
	scopes := make(map[string]*otlp.ScopeSpans)
	for _, s := range spans {
		all.Resource = &resource.Resource{Attributes: attributes(s.Resource().Attributes())}
		name := s.InstrumentationScope().Name
		scope := scopes[name]
		if scope == nil {
			scope = &otlp.ScopeSpans{Scope: &common.InstrumentationScope{Name: name}}
			scopes[name] = scope
			all.ScopeSpans = append(all.ScopeSpans, scope)
		}
		scope.Spans = append(scope.Spans, encodeSpan(s))
	}
	return &otlp.TracesData{ResourceSpans: []*otlp.ResourceSpans{all}}
}

func encodeSpan(s sdk.ReadOnlySpan) *otlp.Span {
	trace, id := s.SpanContext().TraceID(), s.SpanContext().SpanID()
	span := &otlp.Span{TraceId: trace[:], SpanId: id[:], Name: s.Name(), Kind: otlp.Span_SpanKind(s.SpanKind()),
		StartTimeUnixNano: uint64(s.StartTime().UnixNano()), EndTimeUnixNano: uint64(s.EndTime().UnixNano()),
		Attributes: attributes(s.Attributes())}
	if parent := s.Parent().SpanID(); parent.IsValid() {
		span.ParentSpanId = parent[:]
	}
	if s.Status().Code == codes.Error {
		span.Status = &otlp.Status{Code: otlp.Status_STATUS_CODE_ERROR}
	}
	return span
}

func attributes(from []attribute.KeyValue) []*common.KeyValue {
	all := make([]*common.KeyValue, len(from))
	for i, a := range from {
		value := &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: a.Value.String()}}
		if a.Value.Type() == attribute.INT64 {
			value.Value = &common.AnyValue_IntValue{IntValue: a.Value.AsInt64()}
		}
		all[i] = &common.KeyValue{Key: string(a.Key), Value: value}
	}
	return all
}
