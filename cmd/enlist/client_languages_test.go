package main

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
	"enlist/internal/db/dbtest"
)

// This test runs the clients that the server hands out, in each language that is installed.

// covers: spec clients.files, decision 75
func TestClientsOfTheServer(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, clientsOfTheServer)
}

func clientsOfTheServer(t *testing.T, e dbtest.Engine) {
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
			proxy, asked := losesReplies(t, addr)
			file := filepath.Join(t.TempDir(), language.client)
			resp := must(http.Get("http://" + addr + "/clients/" + language.client))(t)
			defer resp.Body.Close()
			must(0, os.WriteFile(file, must(io.ReadAll(resp.Body))(t), 0o600))(t)
			runProgram(t, language.program, append([]string{"testdata/clients/" + language.test, proxy, key, file}, webhook...)...)
			if len(*asked) != 2 || (*asked)[1].Sub((*asked)[0]) < time.Second {
				t.Errorf("getKeyInfo was sent at %v, want a second call a second after the first, as Retry-After says", *asked)
			}
		})
	}
}

// losesReplies starts a proxy to the server that loses the reply to the first request with each body. It refuses the first
// getKeyInfo with 399 instead, and asks for a pause of a second. It returns its URL, and when getKeyInfo was called.
func losesReplies(t *testing.T, addr string) (at string, asked *[]time.Time) {
	t.Helper()
	var mu sync.Mutex
	asked = new([]time.Time)
	seen := make(map[string]bool)
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: addr})
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		mu.Lock()
		first := !seen[string(body)]
		seen[string(body)] = true
		pauses := bytes.Contains(body, []byte("getKeyInfo"))
		if pauses {
			*asked = append(*asked, time.Now())
		}
		mu.Unlock()
		if first && pauses {
			w.Header().Set("Retry-After", "1")
			io.WriteString(w, `{"id":1,"result":null,"error":{"code":399,"message":"too many calls"}}`)
			return
		}
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
	return proxy.URL, asked
}
