package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"enlist/internal/audience"
)

// This file posts a batch of events to the URL of a webhook.

// Options configure a Client.
type Options struct {
	Private bool   // allow private addresses, loopback and other special ones
	Version string // of the program, for the header User-Agent
}

const (
	postTimeout  = 10 * time.Second // for a whole POST with its redirects. decisions.md: 52
	maxReply     = 64 << 10         // bytes of a reply that are read
	maxRedirects = 3
)

// Client posts to webhooks. It keeps connections open between calls, so it must be closed.
type Client struct {
	http      http.Client
	transport *http.Transport
	dialer    *net.Dialer
	userAgent string
	now       func() time.Time // the time that is signed
}

// New returns a Client. It uses no proxy: a proxy would resolve names itself, and could reach
// addresses that are not public.
func New(o Options) *Client {
	c := &Client{
		dialer:    &net.Dialer{Timeout: postTimeout, KeepAlive: 30 * time.Second},
		userAgent: "enlist/" + o.Version,
		now:       time.Now,
	}
	if !o.Private {
		c.dialer.ControlContext = publicOnly
	}
	c.transport = &http.Transport{
		DialContext:            c.dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    postTimeout,
		MaxIdleConns:           100,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxReply,
		DisableCompression:     true, // replies are not used
	}
	c.http = http.Client{Transport: c.transport, Timeout: postTimeout, CheckRedirect: checkRedirect}
	return c
}

// Close closes the connections that are not in use.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Post posts a batch of events. It succeeds if the receiver answers with a status of 200 to 299
// within 10 s. The rest of the reply is not used. A status of 410 is audience.ErrWebhookGone.
func (c *Client) Post(ctx context.Context, b *audience.WebhookBatch) error {
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
	// A connection can be reused only after the reply was read. The status is the result, so
	// errors while reading are ignored.
	io.Copy(io.Discard, io.LimitReader(resp.Body, maxReply))
	switch {
	case resp.StatusCode == http.StatusGone:
		return audience.ErrWebhookGone
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

// checkRedirect allows redirects that keep the method and the body, up to maxRedirects.
func checkRedirect(req *http.Request, via []*http.Request) error {
	switch status := req.Response.StatusCode; {
	case status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect:
		return http.ErrUseLastResponse
	case len(via) > maxRedirects:
		return refusal("more than 3 redirects")
	case via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https":
		return refusal("a redirect from https to http")
	}
	req.Header.Del("Referer") // the URL may contain a secret of the receiver
	return nil
}
