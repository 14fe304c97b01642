package rpc

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
	"unsafe"

	"enlist/internal/enlist"
)

// These tests check the HTTP side of the endpoint: paths, verbs, statuses and connections.

// covers: spec endpoint.path
func TestEndpointPathsIgnoreCaseAndExtraSlashes(t *testing.T) {
	const json, xml, none = formatJSON, formatXML, notFound
	for _, test := range []struct {
		path     string
		expected format
	}{
		{"/", json}, {"//", json}, {"", none}, {"/rpc", json}, {"/RPC", json}, {"/rpc/", json}, {"//rpc", json}, {"/rpc//", json}, {"/rpc.php", none},
		{"/api/jsonrpcserver", json}, {"/api/jsonrpcserver.php", json}, {"/API/JsonRpcServer.PHP", json}, {"/api//jsonrpcserver/", json},
		{"//api/jsonrpcserver.php/", json}, {"/api", none}, {"/api/", none}, {"/api/jsonrpc", none}, {"/x/api/jsonrpcserver", none},
		{"/api/xmlrpcserver", xml}, {"/api/xmlrpcserver.php", xml}, {"//API/XmlRpcServer.PHP/", xml}, {"/xmlrpcserver", none}, {"/api/xmlrpc", none},
		{"/api/jsonrpcserver/x", none}, {"/healthz", none}, {"/api/../rpc", none}, {"/rpc/../", none},
	} {
		t.Run(fmt.Sprintf("%.60q", test.path), func(t *testing.T) {
			if endpoint(test.path) != test.expected {
				t.Errorf("endpoint(%q) is %v, want %v", test.path, endpoint(test.path), test.expected)
			}
		})
	}
}

// dial opens a connection to the server of the harness.
func (h *harness) dial(t testing.TB) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", h.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn, bufio.NewReader(conn)
}

// One connection serves several calls with HTTP/1.1 and with HTTP/1.0.
//
// covers: spec endpoint.path
func TestConnectionServesSeveralCalls(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{})
	for _, version := range []string{"1.1", "1.0"} {
		t.Run("HTTP/"+version, func(t *testing.T) {
			conn, r := h.dial(t)
			for id := range 3 {
				body := fmt.Sprintf(`{"id":%d,"method":"countLists","params":[%q]}`, id, h.keys["READ"])
				fmt.Fprintf(conn, "POST //API/jsonrpcserver.php/?version=3.3 HTTP/%s\r\nHost: x\r\nConnection: keep-alive\r\nContent-Length: %d\r\n\r\n%s", version, len(body), body)
				resp, err := http.ReadResponse(r, nil)
				if err != nil {
					t.Fatal(err)
				}
				reply, err := io.ReadAll(resp.Body)
				if expected := fmt.Sprintf(`{"id":%d,"result":0,"error":null}`, id); err != nil || string(reply) != expected || resp.StatusCode != 200 {
					t.Errorf("HTTP/%s: got %s with status %d and the error %v, want %s with 200",
						version, reply, resp.StatusCode, err, expected)
				}
				if resp.Header.Get("Content-Type") != "application/json" || resp.ContentLength != int64(len(reply)) || resp.TransferEncoding != nil {
					t.Errorf("HTTP/%s: got the headers %v, want Content-Type application/json and Content-Length %d",
						version, resp.Header, len(reply))
				}
			}
		})
	}
}

// HTTP/1.0 has no chunked transfer coding, so the server closes the connection at the end of a
// streamed reply.
//
// covers: spec endpoint.path
func TestHTTP10ClientReadsStreamUntilClose(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{MaxHeld: 1})
	h.fill(t, 200)
	conn, r := h.dial(t)
	body := h.request("searchContacts", "1,[],0")
	fmt.Fprintf(conn, "POST /rpc HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := io.ReadAll(resp.Body)
	if err != nil || resp.TransferEncoding != nil || resp.ContentLength >= 0 {
		t.Errorf("got the error %v, Transfer-Encoding %v and Content-Length %d, want none of these",
			err, resp.TransferEncoding, resp.ContentLength)
	}
	if v, err := parse(string(reply)); err != nil || len(child(v, "result").Items) != 200 {
		t.Errorf("the reply does not have 200 Contacts: %v in %.100s", err, reply)
	}
}

// covers: spec endpoint.status
func TestStatusDependsOnVerbPathAndBodySize(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{MaxBody: 1000})
	for _, test := range []struct {
		verb, path, body string
		status           int
		header, value    string
	}{
		{"GET", "/rpc", "", 200, "Content-Type", "text/html; charset=utf-8"},
		{"HEAD", "/api/jsonrpcserver", "", 200, "Content-Type", "text/html; charset=utf-8"},
		{"OPTIONS", "/rpc", "", 405, "Allow", "GET, HEAD, POST"},
		{"PUT", "/", "{}", 405, "Allow", "GET, HEAD, POST"},
		{"DELETE", "/", "", 405, "Allow", "GET, HEAD, POST"},
		{"POST", "/elsewhere", "{}", 404, "", ""},
		{"POST", "/rpc", strings.Repeat("x", 1001), 413, "Connection", "close"},
		{"POST", "/rpc", strings.Repeat("x", 1000), 200, "Content-Type", "application/json"},
	} {
		t.Run(fmt.Sprintf("%s %s %d bytes", test.verb, test.path, len(test.body)), func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), test.verb, h.server.URL+test.path, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			for _, chunked := range []bool{false, true} {
				if chunked {
					req.ContentLength, req.Body = -1, io.NopCloser(strings.NewReader(test.body))
				}
				resp, err := http.DefaultTransport.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				closed := test.header == "Connection" && resp.Close
				if resp.StatusCode != test.status || !closed && test.header != "" && resp.Header.Get(test.header) != test.value {
					t.Errorf("%s %s: got status %s and headers %v, want %d and %s: %s",
						test.verb, test.path, resp.Status, resp.Header, test.status, test.header, test.value)
				}
				if (test.verb == "HEAD") != (len(body) == 0) {
					t.Errorf("%s %s: got the body %q, want a body except for HEAD", test.verb, test.path, body)
				}
			}
		})
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// covers: spec endpoint.status
func TestDrainingHandlerAnswers503(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{})
	h.handler.Drain()
	resp, err := h.server.Client().Post(h.server.URL, "", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 503 || !resp.Close {
		t.Errorf("got status %s and headers %v, want 503 and Connection: close", resp.Status, resp.Header)
	}
}

// If a client does not send its body in time, the server closes the connection.
func TestLateBodyClosesTheConnection(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{ReadTimeout: 20 * time.Millisecond})
	conn, r := h.dial(t)
	fmt.Fprint(conn, "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
	if resp, err := http.ReadResponse(r, nil); err == nil {
		t.Errorf("got a reply with status %s, want a closed connection", resp.Status)
	}
}

// Large bodies and large parameters wait until memory is free, and are then refused. One Account never
// gets more than half of the memory. Small bodies need no reservation.
//
// covers: decision 43
func TestLargeBodyIsRefusedIfNoMemoryIsFree(t *testing.T) {
	t.Parallel()
	const refused = `{"id":%s,"result":null,"error":{"code":399,"message":"You have reached the maximum number of allowed concurrent API requests"}}`
	h := newHarness(t, Options{ReadTimeout: 2 * time.Second})
	large := h.request("getListById", `"`+strings.Repeat("x", 2<<20)+`"`)
	many := h.request("getListById", "["+strings.Repeat("0,", 5000)+"0]")
	other := strings.Replace(large, h.keys["FULL"], h.keys["OTHER"], 1)
	free := func(body string) {
		t.Helper()
		if reply := h.post(t, body); strings.Contains(reply, `"code":399`) {
			t.Errorf("%.100s with free memory: got %s, want no refusal for memory", body, reply)
		}
	}
	busy := func(body, id string) {
		t.Helper()
		if reply := h.post(t, body); reply != fmt.Sprintf(refused, id) {
			t.Errorf("%.100s without free memory: got %s, want code 399", body, reply)
		}
	}
	free(large)
	free(many)
	const half = 512 << 20 / 32 * 3
	for _, owner := range []int64{int64(h.account), noKey} {
		if _, err := h.handler.memory.bodies.AcquireFor(t.Context(), owner, half); err != nil {
			t.Fatal(err)
		}
		busy(large, "null")
		free(h.request("getSessionInfo", ""))
		if owner != noKey {
			free(other) // of another Account
		}
	}
	busy(other, "null")
	h.handler.memory.bodies.Release(noKey, half)
	if _, err := h.handler.memory.params.AcquireFor(t.Context(), int64(h.account), h.handler.memory.largest); err != nil {
		t.Fatal(err)
	}
	busy(many, "1")
	free(other)
}

// Clients that send no key, or send nothing after the length of a large body, do not use the memory of
// clients with a key.
//
// covers: decision 43
func TestSilentClientsDoNotUseTheMemoryOfOthers(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{Memory: 24 << 20, MaxBody: 2 << 20, ReadTimeout: time.Second})
	for _, start := range []string{"", `{"id":1,"method":"x","params":["` + strings.Repeat("0", 64) + `","`} {
		for range 10 {
			conn, _ := h.dial(t)
			fmt.Fprintf(conn, "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", 2<<20, start+strings.Repeat("x", 700<<10))
		}
	}
	body := h.request("getListById", `"`+strings.Repeat("x", 1<<20)+`"`)
	for range 4 {
		if reply := h.post(t, body); !strings.Contains(reply, `"code":303`) {
			t.Errorf("a large body with a key: got %s, want code 303", reply)
		}
	}
}

// A call whose parameters can never have enough memory is refused at once.
//
// covers: decision 43
func TestCallThatNeedsTooMuchMemoryIsRefused(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{Memory: 24 << 20, MaxBody: 2 << 20})
	if reply := h.post(t, h.request("getListById", "["+strings.Repeat("0,", 70_000)+"0]")); !strings.Contains(reply, `"code":310`) ||
		!strings.Contains(reply, "send fewer values") {
		t.Errorf("70,000 values: got %s, want code 310", reply)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel() // so that AcquireFor does not wait
	if _, err := h.handler.memory.params.AcquireFor(ended, int64(h.account), h.handler.memory.largest); err != nil {
		t.Error("the call did not free its memory")
	}
}

// The size of a tree is known before the tree is built.
func TestTreeHasTheSizeThatWasMeasured(t *testing.T) {
	if size := unsafe.Sizeof(enlist.Input{}); size != valueBytes {
		t.Errorf("an Input has %d bytes, want %d", size, valueBytes)
	}
	for _, test := range []struct {
		params, ignored string
		limit, count    int
		members, names  int
		escaped         int
	}{
		{`["k"]`, ``, 9, 1, 0, 0, 0},
		{`["k" , [ ] , { } ]`, ``, 9, 3, 0, 0, 0},
		{`["k",[1,[2,3],{"a":{"b":1,"c":2},"d":[{"e":1}]}],"\\\"],["]`, ``, 9, 14, 5, 2, 8},
		{`["k",{"a\"":"{[","b":null}`, `,[1,2,3]]`, 2, 4, 2, 2, 4},
		{`["k",1,2`, `,3]`, 3, 3, 0, 0, 0},
	} {
		t.Run(test.params, func(t *testing.T) {
			var s source
			r := newParamsReader(&s, new(arena), []byte(test.params+test.ignored))
			size, err := r.measure(nil, test.limit)
			expected := int64(test.count*valueBytes + test.members*memberBytes + test.names*nameBytes + len(r.sizes)*sizeBytes +
				test.escaped + len(test.params))
			if err != nil || r.count != test.count || size != expected {
				t.Errorf("got %d values, %d bytes and the error %v, want %d values and %d bytes", r.count, size, err, test.count, expected)
			}
			values, err := r.rest(nil)
			if err != nil || len(values) != int(r.sizes[0]) || cap(r.values) != r.count {
				t.Errorf("got %d parameters in %d values and the error %v, want %d in %d", len(values), cap(r.values), err, r.sizes[0], r.count)
			}
		})
	}
}
