// Package rpc serves the JSON-RPC API over HTTP. It decodes a request into a typed call,
// executes the call through audience.Service and encodes the result. It knows JSON, HTTP, the
// positions of parameters and the published error codes, and none of the domain's rules.
//
// The steps of a call: Handler reads the body under a size limit; readEnvelope
// finds id, method and params even if params are invalid; the key becomes a
// Caller; the method's level is compared with the key's; the parameters are
// read strictly; a function of the method table turns them into a call of
// audience.Service and appends the result to the reply. That order must not change
// (decisions.md: 13), and methods.go lists all methods.
//
// Replies are appended to one buffer. A search of Contacts whose reply outgrows the
// buffer is streamed. If an error occurs after the first part was sent, the server
// closes the connection. A reply that parses as JSON is therefore complete.
//
// Files: handler*.go serve HTTP, exchange*.go take one request through its
// checks, params*.go read parameters, methods.go lists the API and call*.go
// have its methods, reply*.go encode results and errors.
package rpc
