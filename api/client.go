package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
)

// Path is where a server takes calls.
const Path = "/api/jsonrpcserver"

// Client calls one server with one API key. It is safe for concurrent use.
//
// An operation that the server refuses returns an *Error with the published
// code; any other error means that no answer came, and that a change may or
// may not have been made: see Idempotent. Times are Unix seconds, 0 where
// something never happened.
type Client struct {
	// HTTP sends the requests. It may be replaced before the first call.
	HTTP *http.Client

	endpoint string
	key      string
	retryKey string
	lastID   *atomic.Int64
}

// NewClient returns a Client for a server's URL, such as
// "https://lists.example.com"; a URL without a path gets the usual Path. A URL
// that cannot be read is reported by the first call.
func NewClient(server, key string) *Client {
	if u, err := url.Parse(server); err == nil && strings.Trim(u.Path, "/") == "" {
		u.Path = Path
		server = u.String()
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64 // all calls go to one host; the default keeps 2
	return &Client{HTTP: &http.Client{Transport: transport}, endpoint: server, key: key, lastID: new(atomic.Int64)}
}

// Idempotent returns a Client whose calls carry an Idempotency-Key, 1 to 255
// visible ASCII characters. Within 24 hours, a call that changes something and
// is repeated with the same parameters and the same key is carried out once,
// and each time answered with the first result. Use another key for another call.
// decisions.md: 30
func (c *Client) Idempotent(key string) *Client {
	with := *c
	with.retryKey = key
	return &with
}

// Close lets go of idle connections.
func (c *Client) Close() { c.HTTP.CloseIdleConnections() }

// Call calls an operation by its published name. The API key is put before
// params. The result is read into result, which may be nil, as
// encoding/json does. The error is an *Error when the server refused.
func (c *Client) Call(ctx context.Context, method string, params []any, result any) error {
	id := c.lastID.Add(1)
	body, err := json.Marshal(request{id, method, append([]any{c.key}, params...)})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	reply, err := c.post(ctx, body)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	switch {
	case reply.Error != nil:
		return reply.Error
	case reply.ID != id:
		return fmt.Errorf("%s: the reply is to another call (id %d, not %d)", method, reply.ID, id)
	case result == nil:
		return nil
	}
	if err := json.Unmarshal(reply.Result, result); err != nil {
		return fmt.Errorf("%s: read result: %w", method, err)
	}
	return nil
}

type request struct {
	ID     int64  `json:"id"`
	Method string `json:"method"`
	Params []any  `json:"params"`
}

type response struct {
	ID     int64           `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

func (c *Client) post(ctx context.Context, body []byte) (*response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if c.retryKey != "" {
		req.Header.Set("Idempotency-Key", c.retryKey)
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 200))
		return nil, fmt.Errorf("HTTP status %s: %s", resp.Status, bytes.TrimSpace(text))
	}
	// A reply that was cut off is no JSON, so it cannot be taken for a whole one.
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("read reply: %w", err)
	}
	reply := new(response)
	if err := json.Unmarshal(data, reply); err != nil {
		return nil, fmt.Errorf("read reply: %w", err)
	}
	return reply, nil
}

// call is Call with the type of the result.
func call[R any](ctx context.Context, c *Client, method string, params ...any) (result R, err error) {
	err = c.Call(ctx, method, params, &result)
	return result, err
}

// callOne is call for operations that return an array holding one record.
func callOne[R any](ctx context.Context, c *Client, method string, params ...any) (*R, error) {
	found, err := call[[]R](ctx, c, method, params...)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%s: %d records where there should be one", method, len(found))
	}
	return &found[0], nil
}
