package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"enlist/internal/config"
	"enlist/internal/db/dbtest"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector is an OpenTelemetry collector that keeps the spans.
type collector struct {
	mu       sync.Mutex
	spans    []*otlp.Span
	resource string
	raw      bytes.Buffer // all bodies
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var data otlp.TracesData
	if r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" || err != nil || proto.Unmarshal(body, &data) != nil {
		http.Error(w, "not OTLP", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(body)
	for _, of := range data.ResourceSpans {
		for _, a := range of.Resource.Attributes {
			c.resource += a.Key + "=" + a.Value.GetStringValue() + " "
		}
		for _, scope := range of.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

// With an endpoint, each call is a span, also in a batch, and the end of the service sends the spans. Statements of reads on
// PostgreSQL are spans below. No span has a key or an address.
//
// covers: decision 109
func TestCallsAreTraced(t *testing.T) {
	for _, e := range []dbtest.Engine{dbtest.SQLite, dbtest.Postgres} {
		t.Run(e.Name, func(t *testing.T) {
			got := new(collector)
			server := httptest.NewServer(got)
			t.Cleanup(server.Close)
			var key string
			const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
			t.Run("service", func(t *testing.T) {
				var addr string
				addr, key = startServerOn(t, e, config.Serve{OTLPEndpoint: server.URL})
				call := func(method, params string) string {
					return fmt.Sprintf(`{"id":1,"method":%q,"params":[%q,%s]}`, method, key, params)
				}
				body := "[" + call("subscribeContact", `1,{"Email":"ann.secret@example.com"}`) + "," +
					call("searchContacts", `1,[["Email","exactly","ann.secret@example.com"]]`) + "," + call("secretMethod", "1") + "]"
				r := must(http.NewRequest("POST", "http://"+addr+"/rpc", strings.NewReader(body)))(t)
				r.Header.Set("Traceparent", "00-"+trace+"-"+parent+"-01")
				reply := must(http.DefaultClient.Do(r))(t)
				defer reply.Body.Close()
				if text := must(io.ReadAll(reply.Body))(t); strings.Count(string(text), `"error":null`) != 2 {
					t.Errorf("the reply is %s, want two results", text)
				}
			})
			http.DefaultClient.CloseIdleConnections()
			if key == "" {
				t.Skip("the service did not start, as the test above says")
			}
			calls, statements := make(map[string]*otlp.Span), 0
			for _, s := range got.spans {
				if s.Kind == otlp.Span_SPAN_KIND_SERVER {
					calls[s.Name] = s
				}
			}
			for _, name := range []string{"subscribeContact", "searchContacts", "other"} {
				s := calls[name]
				if s == nil || fmt.Sprintf("%x %x", s.TraceId, s.ParentSpanId) != trace+" "+parent || s.EndTimeUnixNano < s.StartTimeUnixNano {
					t.Errorf("the span of %s is %v, want one in the trace of the caller", name, s)
				}
			}
			if calls["searchContacts"] == nil {
				return
			}
			for _, s := range got.spans {
				if bytes.Equal(s.ParentSpanId, calls["searchContacts"].SpanId) {
					statements++
				}
			}
			if len(calls) != 3 || (statements > 0) != (e.Name != dbtest.SQLite.Name) {
				t.Errorf("%d kinds of calls and %d statements below searchContacts; want 3, and statements only on PostgreSQL", len(calls), statements)
			}
			if !strings.Contains(got.resource, "service.name=enlist ") || !strings.Contains(got.resource, "service.version=") {
				t.Errorf("the resource is %s, want a name and a version", got.resource)
			}
			for _, secret := range []string{key, "ann.secret", "secretMethod"} {
				if bytes.Contains(got.raw.Bytes(), []byte(secret)) {
					t.Errorf("the spans contain %s", secret)
				}
			}
		})
	}
}
