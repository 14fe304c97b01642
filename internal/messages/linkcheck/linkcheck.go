// Package linkcheck asks the servers of links whether a page is there, while a Message is written. The author chooses the
// links, so it connects only to public addresses, as webhooks do, and an Account asks only some links a minute. It knows
// nothing of Messages.
package linkcheck

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"enlist/internal/limiter"
	"enlist/internal/publicnet"
)

// Limits of a Checker.
const (
	timeout   = 5 * time.Second // of a request with its redirects
	keep      = time.Hour       // how long a result counts
	atOnce    = 8               // requests at the same time, of all Accounts
	share     = 2               // of one Account, so that servers that never answer delay only its own links
	mostKnown = 10_000          // results in memory
	redirects = 5
)

// ofAccount is how many links an Account may ask: 60 at once, and one more each second.
var ofAccount = limiter.Rate{Interval: time.Second, Burst: 60}

// Checker asks servers, and keeps their answers for an hour. It is safe for concurrent use.
type Checker struct {
	client  http.Client
	version string
	now     func() time.Time
	slots   *limiter.Limiter
	rates   limiter.Rates

	mu    sync.Mutex
	known map[string]answer
}

// answer is what is known of a link. why is "" if there is a page.
type answer struct {
	why   string
	until time.Time
}

// Options configure a Checker.
type Options struct {
	Private bool   // it may also connect to private, loopback and other special addresses
	Version string // of the program, for the header User-Agent
}

// New returns a Checker. It uses no proxy, which would resolve host names itself.
func New(o Options) *Checker {
	dialer := &net.Dialer{Timeout: timeout}
	if !o.Private {
		dialer.ControlContext = publicnet.Only
	}
	c := &Checker{version: o.Version, now: time.Now, slots: limiter.NewShared(atOnce, share, 0), known: make(map[string]answer)}
	c.client = http.Client{Timeout: timeout, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
		if len(via) > redirects {
			return errors.New("too many redirects")
		}
		return nil
	}, Transport: &http.Transport{DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: timeout,
		DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10, DisableCompression: true}}
	return c
}

// Known returns why links lead nowhere, as far as this is known. It asks no server.
func (c *Checker) Known(urls []string) map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	why := make(map[string]string)
	for _, url := range urls {
		if a, ok := c.known[url]; ok && a.why != "" && c.now().Before(a.until) {
			why[url] = a.why
		}
	}
	return why
}

// Look asks the servers of links that are not known, and returns what Known does. It leaves out the links that are too
// many for the owner.
func (c *Checker) Look(ctx context.Context, owner int64, urls []string) map[string]string {
	var asked sync.WaitGroup
	for _, link := range urls {
		c.mu.Lock()
		a, ok := c.known[link]
		c.mu.Unlock()
		if ok && c.now().Before(a.until) {
			continue
		}
		if _, _, ok := c.rates.Take(owner, ofAccount, c.now()); !ok {
			break
		}
		asked.Go(func() {
			if c.slots.DoFor(ctx, owner, func() error {
				why := c.ask(ctx, link)
				if ctx.Err() == nil {
					c.store(link, why)
				}
				return nil
			}) != nil {
				return // the context has ended
			}
		})
	}
	asked.Wait()
	return c.Known(urls)
}

func (c *Checker) store(link, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= mostKnown {
		clear(c.known)
	}
	c.known[link] = answer{why, c.now().Add(keep)}
}

// ask returns why a link leads nowhere, or "". Servers that refuse HEAD are asked with GET, those that do not answer are not.
func (c *Checker) ask(ctx context.Context, link string) string {
	why := c.request(ctx, http.MethodHead, link)
	if why != "" && why != noAnswer && ctx.Err() == nil {
		why = c.request(ctx, http.MethodGet, link)
	}
	return why
}

// request sends a request and does not read the body of the answer.
func (c *Checker) request(ctx context.Context, method, link string) string {
	u, err := url.Parse(link)
	if err != nil || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	r, err := http.NewRequestWithContext(ctx, method, link, nil)
	if err != nil {
		return ""
	}
	r.Header.Set("User-Agent", "Mozilla/5.0 (compatible; enlist/"+c.version+")")
	r.Header.Set("Accept", "*/*")
	answer, err := c.client.Do(r)
	if err != nil {
		return reason(err)
	}
	_ = answer.Body.Close()
	switch s := answer.StatusCode; {
	case s < 400, s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusTooManyRequests, s == 999:
		return "" // a page for others than this program
	default:
		return fmt.Sprintf("the server answers with status %d", s)
	}
}

const noAnswer = "its server does not answer within 5 seconds"

// reason says what is wrong with a connection, without addresses of the network of the server.
func reason(err error) string {
	var name *net.DNSError
	switch timed, ok := errors.AsType[net.Error](err); {
	case errors.Is(err, publicnet.ErrNotPublic):
		return "its address is not public"
	case errors.As(err, &name):
		return "its host does not exist"
	case ok && timed.Timeout():
		return noAnswer
	}
	return "its server cannot be reached"
}
