// This file has the Client: how it sends a call and reads the reply. The methods
// for the operations are in the other files that begin with client_.

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

// Path is the path of the endpoint that answers calls.
const Path = "/api/jsonrpcserver"

// Client calls one server with one API key. It is safe for concurrent use.
//
// Each operation of the API is a method. A call that the server refuses returns
// an *Error with the published code. Any other error means that the client has
// no reply: the server may or may not have made the change. Send such a call
// again with Idempotent. All times are Unix seconds, 0 for never.
type Client struct {
	// HTTP sends the requests. It may be replaced before the first call.
	HTTP *http.Client

	endpoint string
	key      string
	retryKey string
	lastID   *atomic.Int64
}

// NewClient returns a Client for a server's URL, such as
// "https://lists.example.com". A URL without a path gets Path. An invalid URL is
// reported by the first call.
func NewClient(server, key string) *Client {
	if u, err := url.Parse(server); err == nil && strings.Trim(u.Path, "/") == "" {
		u.Path = Path
		server = u.String()
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64 // all calls go to one host; the default keeps 2
	return &Client{HTTP: &http.Client{Transport: transport}, endpoint: server, key: key, lastID: new(atomic.Int64)}
}

// Idempotent returns a Client whose calls carry an Idempotency-Key of 1 to 255
// visible ASCII characters. The server executes a change once in 24 hours for
// each key and its parameters, and answers a repeat with the first result. Use a
// different key for each call. decisions.md: 30
func (c *Client) Idempotent(key string) *Client {
	with := *c
	with.retryKey = key
	return &with
}

// Close closes idle connections.
func (c *Client) Close() { c.HTTP.CloseIdleConnections() }

// Call calls an operation by its published name, with the API key before params.
// It decodes the result into result as encoding/json does; nil drops it. The
// error is an *Error when the server refused the call.
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

// request is the body of a call.
type request struct {
	ID     int64  `json:"id"`
	Method string `json:"method"`
	Params []any  `json:"params"`
}

// response is the body of a reply. Exactly one of Result and Error is not null.
type response struct {
	ID     int64           `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// post sends a body and reads the reply whole.
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
	// A reply that was cut off is not valid JSON, so decoding it fails.
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

// callOne is call for operations that return an array of exactly one record.
func callOne[R any](ctx context.Context, c *Client, method string, params ...any) (*R, error) {
	found, err := call[[]R](ctx, c, method, params...)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%s: expected one record in the reply, got %d", method, len(found))
	}
	return &found[0], nil
}
