package post

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"enlist/internal/publicnet"
	"enlist/internal/webhooks"
)

// This file posts a batch of events to the URL of a webhook.

// Options configure a Client.
type Options struct {
	Private bool         // the Client may also connect to private, loopback and other special addresses
	Version string       // version of the program, for the header User-Agent
	Log     *slog.Logger // has a line for each redirect; nil: slog.Default()
}

const (
	postTimeout = 10 * time.Second // limit for a POST
	maxReply    = 64 << 10         // limits for the headers and for the body of a reply, in bytes
)

// Client posts to webhooks. It keeps connections open between calls of Post, so the caller must
// close the Client at the end.
type Client struct {
	http      http.Client
	transport *http.Transport
	dialer    *net.Dialer
	userAgent string
	log       *slog.Logger
	now       func() time.Time // returns the time for the header webhook-timestamp
}

// New returns a Client. The Client uses no proxy, because a proxy would resolve host names
// itself and could connect to addresses that are not public.
func New(o Options) *Client {
	c := &Client{
		dialer:    &net.Dialer{Timeout: postTimeout, KeepAlive: 30 * time.Second},
		userAgent: "enlist/" + o.Version,
		log:       cmp.Or(o.Log, slog.Default()),
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
	c.http = http.Client{Transport: c.transport, Timeout: postTimeout, CheckRedirect: stay}
	return c
}

// Close closes the idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Post posts a batch of events. It fails if the receiver replies with a status from 400 to 599, does not reply within
// 10 s, or cannot be reached. It returns webhooks.ErrWebhookGone if the status is 410. Post does not follow a redirect:
// it returns nil and logs a line. It does not use the headers and the body of the reply.
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
	return c.check(resp.StatusCode, req.URL.Host, b.ID)
}

// check returns the error for the status of a reply. reference.md: webhook.retries, webhook.targets
func (c *Client) check(status int, host, batch string) error {
	switch {
	case status == http.StatusGone:
		return webhooks.ErrWebhookGone
	case status < 200 || status >= 400:
		return fmt.Errorf("status %d", status)
	case status >= 300:
		c.log.Warn("a webhook's receiver answered with a redirect, which is not followed; its events count as "+
			"delivered. Change the URL of the webhook", "host", host, "status", status, "batch", batch)
	}
	return nil
}

// stay makes the Client return a redirect as the reply.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
