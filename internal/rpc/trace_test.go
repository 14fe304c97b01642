package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"enlist/internal/tracing"
)

// The log line of a call that failed has the ID of its trace, so an operator finds the trace. A call that the sampler
// leaves out has no span and no ID in the log. parentbased_traceidratio follows the decision of the caller.
//
// covers: decision 109
func TestALogLineHasTheIDOfASampledTrace(t *testing.T) {
	const trace = "0af7651916cd43dd8448eb211c80319c"
	for _, c := range []struct {
		name, sampler, parent string
		traced                bool
	}{
		{"every call by default", "", "", true},
		{"the trace of the caller", "", "01", true},
		{"a caller that does not sample", "", "00", false},
		{"no call", "always_off", "01", false},
		{"a share of 0", "parentbased_traceidratio", "", false},
		{"a share of 0 and a caller that samples", "parentbased_traceidratio", "01", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("OTEL_TRACES_SAMPLER", c.sampler)
			t.Setenv("OTEL_TRACES_SAMPLER_ARG", "0")
			var posts atomic.Int64 // of spans to the collector
			log := new(bytes.Buffer)
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posts.Add(1) }))
			defer server.Close()
			tracer, err := tracing.New(server.URL, "test", slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			h := newHarness(t, Options{Trace: tracer.Call, Log: slog.New(slog.NewJSONHandler(log, nil))})
			h.store.setFault("update", errors.New("the disk is broken"))
			r, err := http.NewRequest("POST", h.server.URL+"/rpc", strings.NewReader(h.request("subscribeContact", `1,{"Email":"ada@example.com"}`)))
			if err != nil {
				t.Fatal(err)
			}
			if c.parent != "" {
				r.Header.Set("Traceparent", "00-"+trace+"-b7ad6b7169203331-"+c.parent)
			}
			reply, err := h.server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			reply.Body.Close()
			if err := tracer.Close(t.Context()); err != nil {
				t.Error(err)
			}
			var line struct{ Msg, Request, Trace string }
			if err := json.Unmarshal(log.Bytes(), &line); err != nil || line.Msg != "call failed" || line.Request != "r1" {
				t.Fatalf("the log is %s, error %v; want one failed call", log, err)
			}
			if (line.Trace != "") != c.traced || (c.traced && c.parent != "" && line.Trace != trace) || posts.Load() > 0 != c.traced {
				t.Errorf("the log has the trace %q, and spans were posted %d times; want both: %v", line.Trace, posts.Load(), c.traced)
			}
		})
	}
}
