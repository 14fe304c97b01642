package rpc

import (
	"html"
	"io"
	"net/http"
)

// servePage shows a person who opened the endpoint in a browser where they are.
// decisions.md: 2
func servePage(w http.ResponseWriter, version string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'")
	io.WriteString(w, `<!doctype html>
<html lang="en">
<title>enlist</title>
<h1>enlist `+html.EscapeString(version)+`</h1>
<p>This is the endpoint of a JSON-RPC API for contact lists, subscriptions and consent.
Programs call it with <code>POST</code>, like this:</p>
<pre>{"id": 1, "method": "searchFields", "params": ["YOUR-KEY", 1]}</pre>
<p>Every method, parameter and error is described in <code>doc/specification.md</code>, which comes
with enlist; keys are made with <code>enlist key create</code>.</p>
</html>
`)
}
