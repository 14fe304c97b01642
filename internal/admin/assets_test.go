package admin_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"enlist/internal/admin/ui"
)

// htmxSum is the SHA-256 of dist/htmx.min.js in the npm package htmx.org, version 2.0.11.
const htmxSum = "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"

func TestScriptIsThePublishedOne(t *testing.T) {
	script, err := os.ReadFile("ui/htmx.min.js")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(script)
	if got := hex.EncodeToString(sum[:]); got != htmxSum {
		t.Errorf("the script has the checksum %s, want %s", got, htmxSum)
	}
	if text, err := os.ReadFile("ui/htmx.LICENSE"); err != nil || !strings.HasPrefix(string(text), "Zero-Clause BSD") {
		t.Errorf("the licence of the script is %q, %v", text, err)
	}
}

func TestAssetsAreSmallAndKept(t *testing.T) {
	all, sum, largest := ui.NewAssets(), 0, 0
	for path := range all {
		for _, encoding := range []string{"", "gzip"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			r.Header.Set("Accept-Encoding", encoding)
			w := httptest.NewRecorder()
			all.ServeHTTP(w, r)
			body := w.Body.Bytes()
			if w.Header().Get("Content-Encoding") != encoding || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
				t.Errorf("%s is sent with the headers %v", path, w.Header())
			}
			if encoding != "" {
				sum, largest = sum+len(body), max(largest, len(body))
				body = unpacked(t, body)
			}
			if sum := sha256.Sum256(body); !strings.Contains(path, hex.EncodeToString(sum[:6])) {
				t.Errorf("%s is not sent as it is", path)
			}
		}
	}
	if len(all) < 7 || sum-largest > 40<<10 { // package editor limits the largest one, which only one page loads
		t.Errorf("%d files have %d bytes when compressed, without that of %d", len(all), sum-largest, largest)
	}
	w := httptest.NewRecorder()
	all.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/assets/other.js", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("an unknown path is answered with %d", w.Code)
	}
}

func unpacked(t *testing.T, packed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
