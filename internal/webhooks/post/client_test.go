package post

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/webhooks"

	"go.uber.org/goleak"
)

// The tests in this file post to HTTP servers on this machine. Tests that are not about addresses
// allow private ones.

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secret is the example secret in the tests of the Standard Webhooks libraries.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// covers: decision 52
func TestSignatureEqualsTheExampleOfTheStandard(t *testing.T) {
	h := make(http.Header)
	b := &webhooks.WebhookBatch{ID: "msg_p5jXN8AQM9LWM0D4loKWxJek", Secret: secret}
	if err := sign(h, b, time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`)); err != nil {
		t.Fatal(err)
	}
	if got := h.Get("webhook-signature"); got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("the signature is %s, want the one in the example of the standard", got)
	}
}

// verify checks the signature of a request, as a receiver does. It returns an error if no
// signature is valid. It follows the standard and shares no code with sign.
func verify(r *http.Request, body []byte) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp"), body)
	for signature := range strings.FieldsSeq(r.Header.Get("Webhook-Signature")) {
		version, encoded, _ := strings.Cut(signature, ",")
		given, err := base64.StdEncoding.DecodeString(encoded)
		if version == "v1" && err == nil && hmac.Equal(given, mac.Sum(nil)) {
			return nil
		}
	}
	return errors.New("no signature is valid")
}

// batch returns a batch with one event of a Contact and one of a List.
func batch(url string) *webhooks.WebhookBatch {
	return &webhooks.WebhookBatch{ID: "msg_1", URL: url, Secret: secret, Events: []enlist.WebhookEvent{
		{List: 3, Contact: 7, Object: enlist.AboutContact, Event: enlist.WebhookCreated, Time: 1767225600},
		{List: 3, Object: enlist.AboutList, Event: enlist.WebhookBulkUpdated, Time: 1767225601},
	}}
}

func newClient(t *testing.T, o Options) *Client {
	o.Version = "1.2"
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

// covers: spec webhook.body, webhook.headers, decision 52
func TestPostSendsASignedBatch(t *testing.T) {
	var got *http.Request
	var body []byte
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		w.Write(make([]byte, 4*maxReply))
	})
	if err := newClient(t, Options{Private: true}).Post(t.Context(), batch(server.URL+"/hook?a=b")); err != nil {
		t.Fatal(err)
	}
	want := `[{"list_id":3,"contact_id":7,"object":"contact","event":"created","timestamp":1767225600},` +
		`{"list_id":3,"object":"list","event":"bulk_updated","timestamp":1767225601}]`
	if string(body) != want {
		t.Errorf("the body is %s, want %s", body, want)
	}
	if err := verify(got, body); err != nil {
		t.Error(err)
	}
	if got.Method != "POST" || got.URL.String() != "/hook?a=b" || got.Header.Get("Content-Type") != "application/json" ||
		got.Header.Get("User-Agent") != "enlist/1.2" || got.Header.Get("Webhook-Id") != "msg_1" {
		t.Errorf("the request is %s %s with the headers %v, want a POST of JSON to /hook?a=b with Webhook-Id msg_1",
			got.Method, got.URL, got.Header)
	}
}

// A POST fails if the status is from 400 to 599. Errors do not contain the body of the reply.
//
// covers: decision 52
func TestStatusDecidesSuccess(t *testing.T) {
	for _, c := range []struct {
		status int
		want   string
	}{
		{200, ""}, {204, ""}, {299, ""}, {302, ""}, {304, ""}, {400, "status 400"}, {404, "status 404"},
		{410, webhooks.ErrWebhookGone.Error()}, {429, "status 429"}, {500, "status 500"}, {599, "status 599"},
	} {
		t.Run(fmt.Sprint(c.status), func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.status)
				if c.status != 204 && c.status != 304 {
					fmt.Fprint(w, "a stack trace")
				}
			})
			err := newClient(t, Options{Private: true}).Post(t.Context(), batch(server.URL))
			if got := fmt.Sprint(err); (c.want != "" || err != nil) && got != c.want {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if gone := errors.Is(err, webhooks.ErrWebhookGone); gone != (c.status == 410) {
				t.Errorf("the error is ErrWebhookGone: %v, want %v", gone, !gone)
			}
		})
	}
}

// A redirect is not followed. The events count as delivered, and the log says so without the path, which can be secret.
//
// covers: spec webhook.targets, decision 52
func TestRedirectsAreNotFollowedAndLogged(t *testing.T) {
	inner := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the client followed a redirect") })
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			server := serve(t, http.RedirectHandler(inner.URL, status).ServeHTTP)
			var lines strings.Builder
			c := newClient(t, Options{Private: true, Log: slog.New(slog.NewTextHandler(&lines, nil))})
			if err := c.Post(t.Context(), batch(server.URL+"/token")); err != nil {
				t.Errorf("Post returned %v, want no error", err)
			}
			got := lines.String()
			if !strings.Contains(got, fmt.Sprint("status=", status)) || !strings.Contains(got, "not followed") ||
				strings.Contains(got, "token") {
				t.Errorf("the log is %q, want a line with the status and without the path", got)
			}
		})
	}
}

func TestCertificateOfAnUnknownAuthorityIsRefused(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	c := newClient(t, Options{Private: true})
	if err := c.Post(t.Context(), batch(server.URL)); fmt.Sprint(err) != "the certificate is not valid for the host" {
		t.Errorf("Post returned: %v", err)
	}
}

// A loopback address is refused in every spelling.
func TestPrivateAddressesAreRefused(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the client connected to a private address") })
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, Options{})
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "[::]", "[64:ff9b::7f00:1]"} {
		t.Run(host, func(t *testing.T) {
			err := c.Post(t.Context(), batch("http://"+host+":"+port+"/"))
			// Without IPv6 on this machine, the connection fails before the check.
			noIPv6 := strings.HasPrefix(host, "[") && fmt.Sprint(err) == "the connection failed"
			if fmt.Sprint(err) != "the address is not public" && !noIPv6 {
				t.Errorf("Post returned %v, want: the address is not public", err)
			}
		})
	}
}

// The client checks the address of a host name when it connects. The name may have had another
// address when the webhook was added.
//
// covers: spec webhook.targets, decision 52
func TestHostNameWithAPrivateAddressIsRefused(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the client connected to a private address") })
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, Options{})
	asked := make(chan struct{}, 10)
	c.dialer.Resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		asked <- struct{}{}
		near, far := net.Pipe()
		go answer(far)
		return near, nil
	}}
	if err := c.Post(t.Context(), batch("http://hooks.example.com:"+port+"/")); fmt.Sprint(err) != "the address is not public" {
		t.Errorf("Post returned %v, want: the address is not public", err)
	}
	if len(asked) == 0 {
		t.Error("the client did not send a question to the resolver of the test")
	}
}

// answer is a DNS server for one question over TCP. A question for an IPv4 address gets the answer
// 127.0.0.1. Other questions get a reply without an answer.
func answer(conn net.Conn) {
	defer conn.Close()
	size := make([]byte, 2)
	if _, err := io.ReadFull(conn, size); err != nil {
		return
	}
	m := make([]byte, int(size[0])<<8|int(size[1]))
	if _, err := io.ReadFull(conn, m); err != nil {
		return
	}
	end := 12
	for m[end] != 0 {
		end += int(m[end]) + 1
	}
	end += 5 // the empty label at the end of the name, the type and the class
	isA := m[end-3] == 1
	reply := append([]byte{m[0], m[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, m[12:end]...)
	if isA {
		reply[7] = 1
		reply = append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1)
	}
	conn.Write(append([]byte{byte(len(reply) >> 8), byte(len(reply))}, reply...))
}

// Errors contain no IP address and no text from the receiver.
func TestErrorsContainNoIPAddress(t *testing.T) {
	silent := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	dropping := serve(t, func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) })
	c, hasty := newClient(t, Options{Private: true}), newClient(t, Options{Private: true})
	hasty.http.Timeout = 100 * time.Millisecond
	c.dialer.Resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no resolver") }}
	for _, test := range []struct {
		client    *Client
		url, want string
	}{
		{c, "http://127.0.0.1:1", "the connection was refused"}, // no program listens on port 1
		{hasty, silent.URL, "no answer within 10 seconds"},
		{c, dropping.URL, "the connection failed"},
		{c, strings.Replace(dropping.URL, "http", "https", 1), "the TLS handshake failed"},
		{c, "http://nowhere.example.com/", "the host was not found"},
	} {
		t.Run(test.want, func(t *testing.T) {
			if err := test.client.Post(t.Context(), batch(test.url)); fmt.Sprint(err) != test.want {
				t.Errorf("a POST to %s: got the error %v, want %s", test.url, err, test.want)
			}
		})
	}
}

// The check of the client for JavaScript must accept a posted batch and refuse a changed batch. The test needs Node.js.
//
// covers: spec webhook.headers
func TestCheckOfTheClientAcceptsPosts(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed")
	}
	text, err := os.ReadFile("../../rpc/reference/clients/enlist.mjs.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(string(text), "const bytes =")
	script, _, _ = strings.Cut(script, "\n}\n")
	script = "class EnlistError extends Error {}\nconst bytes =" + strings.Replace(script, "export ", "", 1) + "\n}\n"
	var requests []map[string]any
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		headers := make(map[string]string)
		for name := range r.Header {
			headers[strings.ToLower(name)] = r.Header.Get(name)
		}
		other := maps.Clone(headers)
		other["webhook-id"] = "msg_2"
		old := maps.Clone(headers)
		old["webhook-timestamp"] = "1"
		for _, h := range []map[string]string{headers, other, old} {
			requests = append(requests, map[string]any{"headers": h, "body": string(body)})
		}
		requests = append(requests, map[string]any{"headers": headers, "body": string(body) + " "})
	})
	if err := newClient(t, Options{Private: true}).Post(t.Context(), batch(server.URL)); err != nil {
		t.Fatal(err)
	}
	sent, err := json.Marshal(requests)
	if err != nil {
		t.Fatal(err)
	}
	script += fmt.Sprintf("const check = (r) => verifyWebhook(r.headers, r.body, '%s').then(() => true, () => false);\n"+
		"Promise.all(%s.map(check)).then((all) => console.log(all.join(' ')))", secret, sent)
	out, err := exec.CommandContext(t.Context(), node, "-e", script).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "true false false false" {
		t.Errorf("the client returned %s, %v; want true for the posted batch and false for the three others", out, err)
	}
}
