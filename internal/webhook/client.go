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

// Options are how webhooks are called.
type Options struct {
	Private bool   // also private addresses, loopback and the like
	Version string // of the program, for User-Agent
}

const (
	callTime     = 10 * time.Second // for all of a call. decisions.md: 52
	maxReply     = 64 << 10         // bytes of a reply that are read
	maxRedirects = 3
)

// Client calls webhooks. It keeps connections open between calls: Close it.
type Client struct {
	http      http.Client
	transport *http.Transport
	dialer    *net.Dialer
	userAgent string
	now       func() time.Time
}

// New makes a Client. It goes by no proxy: that would look names up itself, and
// reach what must not be reached.
func New(o Options) *Client {
	c := &Client{dialer: &net.Dialer{Timeout: callTime, KeepAlive: 30 * time.Second}, userAgent: "enlist/" + o.Version, now: time.Now}
	if !o.Private {
		c.dialer.ControlContext = publicOnly
	}
	c.transport = &http.Transport{
		DialContext:            c.dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    callTime,
		MaxIdleConns:           100,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxReply,
		DisableCompression:     true, // replies are not looked at
	}
	c.http = http.Client{Transport: c.transport, Timeout: callTime, CheckRedirect: mayRedirect}
	return c
}

// Close closes the connections that no call uses.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Post posts a batch of events. It fails unless the receiver answers with a
// status of 200 to 299 within 10 s. What it says besides is not looked at.
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
		return described(err)
	}
	defer resp.Body.Close()
	// A connection is used again only after its reply was read. The status has
	// told all: an error from here on is none of the call's.
	io.Copy(io.Discard, io.LimitReader(resp.Body, maxReply))
	switch {
	case resp.StatusCode == http.StatusGone:
		return audience.ErrWebhookGone
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

// mayRedirect follows only what keeps the POST and its body, within bounds.
func mayRedirect(req *http.Request, via []*http.Request) error {
	switch status := req.Response.StatusCode; {
	case status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect:
		return http.ErrUseLastResponse
	case len(via) > maxRedirects:
		return refusal("more than 3 redirects")
	case via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https":
		return refusal("a redirect from https to http")
	}
	req.Header.Del("Referer") // the URL before may hold a secret
	return nil
}
