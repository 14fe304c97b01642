// Package xmlrpc translates XML-RPC into JSON and back, so that package rpc serves XML-RPC with the
// code for JSON. It knows only the form of the two formats, not the methods, parameters or errors.
//
// Reader reads the XML of a call and returns a JSON object with method and params. Encoder translates
// the JSON of a result into a value of XML-RPC. Both work in steps with little memory, so that the
// limits of package rpc apply to long calls and replies.
//
// The Reader accepts any split of its input. doc/decisions.md, 72, says how types and characters are
// translated.
//
// Files: reader.go reads XML, markup.go its tags, grammar.go says which element may be in which, scalar.go translates
// simple values, charset.go finds the encoding, and encoder.go writes XML.
package xmlrpc
