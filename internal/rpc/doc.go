// Package rpc is the API on the wire: bytes to a typed call, the call to the
// domain, its result to bytes. It knows JSON, HTTP, the positions of parameters
// and the published error codes, and none of the domain's rules.
//
// A call's journey: Handler reads the body under a size limit; readEnvelope
// finds id, method and params whatever is wrong inside them; the key becomes a
// Caller; the method's level is compared with the key's; the parameters are
// read strictly; a function of the method table turns them into a call of
// audience.Service and appends the result to the reply. That order must not change
// (decisions.md: 13), and methods.go is the API's contents page.
//
// Replies are appended to one buffer. Searches of Contacts that outgrow it are
// sent as they are found. If something fails after that, the connection is
// closed, so that a reply that parses is complete.
//
// Files: handler*.go serve HTTP, exchange*.go take one request through its
// checks, params*.go read parameters, methods.go lists the API and call_*.go
// have its methods, reply*.go encode results and errors.
package rpc
