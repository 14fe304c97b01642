package httpserver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestAMuxRedirectsNothing(t *testing.T) {
	m := NewMux()
	for _, pattern := range []string{"/", "/u/", "/s/{form}", "GET /{$}"} {
		m.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, pattern+" "+r.URL.Path+" "+r.PathValue("form"))
		})
	}
	for path, want := range map[string]string{
		"/u": "/u/ /u ", "/u/x": "/u/ /u/x ", "//u/x": "/u/ //u/x ", "/u/../s/1": "/s/{form} /u/../s/1 ",
		"/s/1": "/s/{form} /s/1 1", "/s/1/": "/ /s/1/ ", "//rpc": "/ //rpc ", "//": "GET /{$} // ", "/": "GET /{$} / ",
	} {
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://example.com"+path, nil))
		if got := w.Body.String(); w.Code != http.StatusOK || got != want {
			t.Errorf("%s is answered with %d %q, want %q", path, w.Code, got, want)
		}
	}
}
