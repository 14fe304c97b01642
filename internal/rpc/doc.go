// Package rpc serves the JSON-RPC API over HTTP, and the same API for XML-RPC. It decodes a request into a typed call,
// executes the call through the Services of app.App and encodes the result. It knows JSON, HTTP, the
// positions of parameters and the published error codes. The rules of a subject are in its package: those for Contacts
// in package contacts, those for Lists in package lists.
//
// A call has these steps. Their order must not change (reference.md: errors.order):
//
//  1. Handler reads the body, up to a size limit.
//  2. readEnvelope finds id, method and params, even if params are invalid.
//  3. authenticate finds the Caller that has the API key.
//  4. perform compares the access level of the key with the level that the method needs.
//  5. paramsReader reads the parameters strictly.
//  6. The function of the method (call.go) calls a Service and appends the result to the
//     reply. methods*.go list all methods.
//
// The reply is built in one buffer. If the reply to a search of Contacts becomes larger than
// Options.MaxHeld, the server streams it. If an error occurs after the first part was sent, the
// server closes the connection. A reply that is valid JSON is therefore complete.
//
// XML-RPC takes the same steps: exchange_xml.go translates the body to JSON before step 2, and the
// reply to XML after step 6.
//
// Files: handler*.go serve HTTP. exchange*.go check and execute one request. params*.go read
// parameters. methods*.go list the methods, and call*.go execute them. describe*.go describe
// them. reply*.go encode results and errors. ignored.go finds what a call has and the server ignores. rest.go has what
// packages exports and httpapi share.
package rpc
