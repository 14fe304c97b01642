package main

// This test runs the clients that the server hands out, in each language that is installed.

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"enlist/internal/config"
	"enlist/internal/store/teststores"
)

// covers: spec clients.files, decision 75
func TestClientsOfTheServer(t *testing.T) { teststores.Each(t, clientsOfTheServer) }

func clientsOfTheServer(t *testing.T, e teststores.Engine) {
	addr, key := startServerOn(t, e, config.Serve{})
	const id, body = "msg_1", `[{"contact_id":7}]`
	secret := []byte("0123456789abcdef01234567")
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + at + "." + body))
	webhook := []string{id, at, "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), body,
		"whsec_" + base64.StdEncoding.EncodeToString(secret)}
	for _, language := range []struct{ program, client, test string }{
		{"node", "enlist.mjs", "test.mjs"}, {"python3", "enlist.py", "test.py"}, {"php", "enlist.php", "test.php"},
	} {
		t.Run(language.client, func(t *testing.T) {
			proxy := losesReplies(t, addr)
			file := filepath.Join(t.TempDir(), language.client)
			resp := must(http.Get("http://" + addr + "/clients/" + language.client))(t)
			defer resp.Body.Close()
			must(0, os.WriteFile(file, must(io.ReadAll(resp.Body))(t), 0o600))(t)
			runProgram(t, language.program, append([]string{"testdata/clients/" + language.test, proxy, key, file}, webhook...)...)
		})
	}
}

// losesReplies starts a proxy to the server that loses the reply to the first request with each body. It returns its URL.
func losesReplies(t *testing.T, addr string) string {
	t.Helper()
	var mu sync.Mutex
	seen := make(map[string]bool)
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: addr})
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		mu.Lock()
		first := !seen[string(body)]
		seen[string(body)] = true
		mu.Unlock()
		if first {
			forward.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		proxy.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return proxy.URL
}
