package movein

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"enlist/internal/publicnet"
)

// This file limits what another service can make a move do: the size of its replies and files, and the hosts that the
// move calls. decisions.md: 87

const (
	// maxReply is the greatest size of a reply in bytes. A page of 1,000 Contacts has a few MB at most.
	maxReply = 64 << 20
	// MaxFile is the greatest size of a file in bytes.
	MaxFile = 256 << 20
)

// limitedReplies is a RoundTripper. Reading a reply that is larger than most returns an error.
type limitedReplies struct {
	http.RoundTripper
	most int64
}

// RoundTrip implements http.RoundTripper.
func (l limitedReplies) RoundTrip(r *http.Request) (*http.Response, error) {
	reply, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		reply.Body = &limitedBody{reply.Body, l.most, l.most}
	}
	return reply, err
}

// CloseIdleConnections is for http.Client.CloseIdleConnections.
func (l limitedReplies) CloseIdleConnections() {
	if c, ok := l.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

type limitedBody struct {
	io.ReadCloser
	left, most int64
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return 0, &tooLarge{b.most}
	}
	return n, err
}

// tooLarge is the error of a reply or file that is larger than its limit. Another attempt would not help.
type tooLarge struct{ most int64 }

// Error implements error.
func (e *tooLarge) Error() string {
	return fmt.Sprintf("the reply of the other service is larger than %d MiB", e.most>>20)
}

// sameHost follows a redirect only to the host of the call, and not from https to http: the body has the key.
func sameHost(r *http.Request, via []*http.Request) error {
	first := via[0].URL
	if r.URL.Host != first.Host || r.URL.Scheme != first.Scheme {
		return fmt.Errorf("the other service redirects to %s://%s, which would get the key: give that URL if you trust it",
			r.URL.Scheme, r.URL.Host)
	}
	if len(via) > 3 {
		return fmt.Errorf("the other service redirects more than 3 times")
	}
	return nil
}

// dialer connects to an address.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// publicDialer connects only to public addresses.
func publicDialer() *net.Dialer {
	return &net.Dialer{Timeout: callTime, ControlContext: publicnet.Only}
}

// newFileClient returns a Client that reads files from the other service, as dialOwn connects to it, and from public
// addresses. A link to any other address could read what only this machine can reach. Files may be on many hosts, so no
// connection is kept.
func newFileClient(server string, dialOwn dialer) *http.Client {
	own := hostPort(server)
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == own {
			return dialOwn(ctx, network, address)
		}
		return publicDialer().DialContext(ctx, network, address)
	}
	files := &http.Transport{DialContext: dial, DisableKeepAlives: true}
	return &http.Client{Timeout: callTime, Transport: limitedReplies{files, MaxFile}}
}

// hostPort returns the host and port of a URL, as a dialer gets them. It returns "" for an invalid URL.
func hostPort(server string) string {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}
