package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// The listener for operators answers to addresses and to names that no stranger can own, not to the name of a web page
// that leads to 127.0.0.1.
func TestOperationsListenerAnswersOnlyToItsOwnHosts(t *testing.T) {
	t.Parallel()
	handler := ownHosts(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), "metrics.example.com:9090")
	for host, want := range map[string]int{
		"127.0.0.1:9090":                     200,
		"[::1]:9090":                         200,
		"192.0.2.7":                          200,
		"localhost:9090":                     200,
		"enlist:9090":                        200,
		"enlist.default.svc:9090":            200,
		"enlist.default.svc.cluster.local":   200,
		"METRICS.example.com:9090":           200,
		"evil.example:9090":                  421,
		"127.0.0.1.evil.example":             421,
		"metrics.example.com.evil.example":   421,
		"evil.example.":                      421,
		"localhost.evil.example:9090":        421,
		"a.metrics.example.com":              421,
		"xn--enlist.evil.example:9090":       421,
		"evil.example@127.0.0.1.example.com": 421,
	} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host = host
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("Host %s: status %d, want %d", host, w.Code, want)
		}
	}
}
