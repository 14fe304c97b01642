package post

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"enlist/internal/publicnet"
	"enlist/internal/webhooks"
)

// This file posts a batch of events to the URL of a webhook.

// Options configure a Client.
type Options struct {
	Private bool   // the Client may also connect to private, loopback and other special addresses
	Version string // version of the program, for the header User-Agent
}

const (
	postTimeout  = 10 * time.Second // limit for a POST and its redirects together. decisions.md: 52
	maxReply     = 64 << 10         // limits for the headers and for the body of a reply, in bytes
	maxRedirects = 3
)

// Client posts to webhooks. It keeps connections open between calls of Post, so the caller must
// close the Client at the end.
type Client struct {
	http      http.Client
	transport *http.Transport
	dialer    *net.Dialer
	userAgent string
	now       func() time.Time // returns the time for the header webhook-timestamp
}

// New returns a Client. The Client uses no proxy, because a proxy would resolve host names
// itself and could connect to addresses that are not public.
func New(o Options) *Client {
	c := &Client{
		dialer:    &net.Dialer{Timeout: postTimeout, KeepAlive: 30 * time.Second},
		userAgent: "enlist/" + o.Version,
		now:       time.Now,
	}
	if !o.Private {
		c.dialer.ControlContext = publicnet.Only
	}
	c.transport = &http.Transport{
		DialContext:            c.dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    postTimeout,
		MaxIdleConns:           100,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxReply,
		DisableCompression:     true, // Post does not use the bodies of replies
	}
	c.http = http.Client{Transport: c.transport, Timeout: postTimeout, CheckRedirect: checkRedirect}
	return c
}

// Close closes the idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Post posts a batch of events. It returns nil if the receiver replies with a status from 200 to
// 299 within 10 s. It does not use the headers and the body of the reply. It returns
// webhooks.ErrWebhookGone if the status is 410.
func (c *Client) Post(ctx context.Context, b *webhooks.WebhookBatch) error {
	body, err := encode(b.Events)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("the URL cannot be called")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", c.userAgent)
	if err := sign(req.Header, b, c.now(), body); err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return describe(err)
	}
	defer resp.Body.Close()
	// A connection can be used again only after the reply was read. Only the status decides the
	// result, so Post ignores errors while it reads the body.
	io.Copy(io.Discard, io.LimitReader(resp.Body, maxReply))
	switch {
	case resp.StatusCode == http.StatusGone:
		return webhooks.ErrWebhookGone
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

// checkRedirect allows up to maxRedirects redirects that keep the method and the body. It refuses
// a redirect from https to http. Post does not follow other redirects, and returns their status
// as an error.
func checkRedirect(req *http.Request, via []*http.Request) error {
	switch status := req.Response.StatusCode; {
	case status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect:
		return http.ErrUseLastResponse
	case len(via) > maxRedirects:
		return refusal("more than 3 redirects")
	case via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https":
		return refusal("a redirect from https to http")
	}
	req.Header.Del("Referer") // Referer has the previous URL, which may contain a secret of the receiver
	return nil
}
