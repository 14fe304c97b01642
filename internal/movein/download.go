package movein

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"

	"enlist/internal/enlist"
	"enlist/internal/publicnet"
)

// This file reads files by their links, and limits what another service can make a move do: the size of its replies and
// files, and the hosts that the move calls. decisions.md: 87

// Downloads reads files by their links.
type Downloads struct{ client *http.Client }

// NewDownloads returns Downloads that connect only to public addresses.
func NewDownloads() *Downloads { return &Downloads{newFileClient("", nil)} }

// Read reads the content of a file of at most MaxFile bytes into a temporary file, which tells its size: other services
// round the size of their records. The error is a refusal (enlist.Refuse) if another attempt would not help.
func (d *Downloads) Read(ctx context.Context, link string) (content io.ReadCloser, size int64, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return nil, 0, enlist.Refuse(enlist.InvalidParameters, "its url %q is no URL", link)
	}
	reply, err := d.client.Do(request)
	switch {
	case errors.Is(err, publicnet.ErrNotPublic):
		return nil, 0, enlist.Refuse(enlist.InvalidParameters, "the link %s leads to an address that is not public",
			link)
	case err != nil:
		return nil, 0, fmt.Errorf("read a file: %w", err)
	}
	defer reply.Body.Close()
	switch {
	case reply.StatusCode >= http.StatusInternalServerError:
		return nil, 0, fmt.Errorf("read the file %s: the other service replied %s", link, reply.Status)
	case reply.StatusCode != http.StatusOK:
		return nil, 0, enlist.Refuse(enlist.InvalidParameters, "the link %s leads to no file: %s", link, reply.Status)
	}
	temporary, err := os.CreateTemp("", "enlist-file")
	if err != nil {
		return nil, 0, fmt.Errorf("create a temporary file: %w", err)
	}
	// The file has no name any more, so it is gone when it is closed. On Windows, it stays until the system removes it.
	os.Remove(temporary.Name())
	size, err = io.Copy(temporary, reply.Body)
	if err == nil {
		_, err = temporary.Seek(0, io.SeekStart)
	}
	if err == nil {
		return temporary, size, nil
	}
	temporary.Close()
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		err = enlist.Refuse(enlist.InvalidParameters, "the link %s leads to more than %d MiB", link, int64(MaxFile)>>20)
	}
	return nil, 0, err
}

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
