package rpc

import (
	"html"
	"io"
	"net/http"
)

// This file has the page that the server sends to a browser that opens the endpoint. Programs
// send POST, which handler.go serves.

// servePage answers a GET or HEAD of the endpoint with a page that explains how to call
// the API. Its style is that of the reference, and it loads no scripts. reference.md: endpoint.status
func servePage(w http.ResponseWriter, version string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'")
	io.WriteString(w, `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>enlist</title>
<link rel="stylesheet" href="/api/reference.css">
<header><h1>enlist <small>`+html.EscapeString(version)+`</small></h1></header>
<main>
<p>This is the endpoint of a JSON-RPC API for contact lists, subscriptions and consent.
Programs call it with <code>POST</code>, like this:</p>
<pre>{"id": 1, "method": "searchFields", "params": ["YOUR-KEY", 1]}</pre>
<p>Programs that use XML-RPC call <code>/api/xmlrpcserver</code>.</p>
<p><a href="/api/">The reference</a> describes every method, parameter and error. The command <code>enlist key create</code> creates an API key.</p>
</main>
</html>
`)
}
