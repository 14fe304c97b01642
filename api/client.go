package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
)

// This file has the Client, which sends calls and reads the replies.

// Path is the path of the endpoint that answers calls.
const Path = "/api/jsonrpcserver"

// Client calls one server with one API key. It is safe for concurrent use.
//
// Each operation of the API is a method of Client. Its parameters are those of the
// published operation. The zero value of an optional parameter is its default.
//
// If the server refuses a call, the method returns an *Error with the published
// code. All methods can return CodeInternal, CodeInvalidKey, CodeDenied,
// CodeInvalidParameters and CodeTooManyConcurrent. Any other error means that the
// client has no valid reply, so it does not know whether the server executed the
// call. To send a call again without the risk of a second change, use
// the Client that Idempotent returned for both attempts. All times are Unix seconds;
// 0 means never.
type Client struct {
	// HTTP sends the requests. The caller may replace it before the first call.
	HTTP *http.Client

	endpoint string
	key      string
	retryKey string
	lastID   *atomic.Int64
}

// NewClient returns a Client that calls the server at a URL, such as
// "https://lists.example.com". If the URL has no path, NewClient adds Path. If
// the URL is invalid, every call returns an error.
func NewClient(server, key string) *Client {
	if u, err := url.Parse(server); err == nil && strings.Trim(u.Path, "/") == "" {
		u.Path = Path
		server = u.String()
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64 // all calls go to one host, and the default for a host is 2
	return &Client{HTTP: &http.Client{Transport: transport}, endpoint: server, key: key, lastID: new(atomic.Int64)}
}

// Idempotent returns a Client that sends the header Idempotency-Key with each
// call. key has 1 to 255 visible ASCII characters. Use a different key for
// each call. If a call succeeded and is sent again within 24 hours with the same
// Idempotency-Key and parameters, the server does not execute it again. It then
// returns the first result.
// reference.md: idempotency
func (c *Client) Idempotent(key string) *Client {
	with := *c
	with.retryKey = key
	return &with
}

// Close closes idle connections.
func (c *Client) Close() { c.HTTP.CloseIdleConnections() }

// Call calls an operation by its published name. It adds the API key before
// params. With encoding/json, it decodes the result of the call into the value to
// which result points. If result is nil, Call ignores the result of the call. The
// error is an *Error if the server refused the call.
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

// response is the body of a reply. Exactly one of Result and Error is set.
type response struct {
	ID     int64           `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// post sends the body of a call and returns the reply.
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
	// If the connection was closed too early, the reply is not valid JSON, so Unmarshal fails.
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

// several is a parameter in Go that is several parameters of the call.
type several interface{ params() []any }

// call is like Call and returns a result of the type R. It sends a nil slice as an
// empty array.
func call[R any](ctx context.Context, c *Client, method string, values ...any) (result R, err error) {
	var params []any
	for _, value := range values {
		v := reflect.ValueOf(value)
		group, isGroup := value.(several)
		switch {
		case isGroup:
			params = append(params, group.params()...)
		case v.Kind() == reflect.Slice && v.IsNil():
			params = append(params, []any{})
		default:
			params = append(params, value)
		}
	}
	err = c.Call(ctx, method, params, &result)
	return result, err
}

// callOne is like call, for operations whose result is an array of one record. It
// returns this record.
func callOne[R any](ctx context.Context, c *Client, method string, values ...any) (*R, error) {
	found, err := call[[]R](ctx, c, method, values...)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%s: expected one record in the reply, got %d", method, len(found))
	}
	return &found[0], nil
}
