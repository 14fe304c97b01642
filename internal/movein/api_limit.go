package movein

import (
	"context"
	"errors"
	"fmt"
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

// limitedReplies is a Transport. Reading a reply that is larger than most returns an http.MaxBytesError.
type limitedReplies struct {
	*http.Transport
	most int64
}

// RoundTrip implements http.RoundTripper.
func (l limitedReplies) RoundTrip(r *http.Request) (*http.Response, error) {
	reply, err := l.Transport.RoundTrip(r)
	if err == nil {
		reply.Body = http.MaxBytesReader(nil, reply.Body, l.most)
	}
	return reply, err
}

// tooLarge returns an error that says how large a reply may be, if err is about its size. Another attempt would not help.
func tooLarge(err error) error {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fmt.Errorf("the reply of the other service is larger than %d MiB: %w", large.Limit>>20, large)
	}
	return err
}

// sameHost follows a redirect only to the host of the call, and not from https to http: the body has the key.
func sameHost(r *http.Request, via []*http.Request) error {
	first := via[0].URL
	if r.URL.Host != first.Host || r.URL.Scheme != first.Scheme {
		return fmt.Errorf("the other service redirects to %s://%s, which would get the key: give that URL if you trust it",
			r.URL.Scheme, r.URL.Host)
	}
	if len(via) > 3 {
		return errors.New("the other service redirects more than 3 times")
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
