package reference

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"enlist/internal/rpc"
)

// This file serves the reference page and its files.

// Handler serves the reference of the API.
type Handler struct {
	files map[string]file // by path
}

// file is a file that never changes while the process runs.
type file struct {
	mediaType string
	etag      string
	content   []byte
}

// The paths of the reference. Only exactly these paths are served, so that the paths of calls keep their meaning.
const (
	pagePath    = "/api/"
	openRPCPath = "/api/openrpc.json"
	methodsPath = "/api/methods/"
	stylePath   = "/api/reference.css"
	scriptPath  = "/api/reference.js"
	clientsPath = "/clients/"
	iconPath    = "/favicon.ico" // browsers ask for it without a link
)

// Paths are the patterns of a ServeMux for the paths that a Handler serves.
func Paths() []string {
	return []string{pagePath + "{$}", openRPCPath, methodsPath, stylePath, scriptPath, clientsPath, iconPath}
}

// New returns the Handler for a description of the API and its document of OpenRPC.
func New(d *rpc.Description, openRPC []byte) *Handler {
	h := &Handler{files: make(map[string]file)}
	h.add(pagePath, "text/html; charset=utf-8", page(d))
	h.add(openRPCPath, "application/json", openRPC)
	h.add(stylePath, "text/css; charset=utf-8", style)
	h.add(iconPath, "image/svg+xml", favicon)
	h.add(scriptPath, "text/javascript; charset=utf-8", script)
	for i := range d.Methods {
		h.add(methodsPath+d.Methods[i].Name+".md", "text/markdown; charset=utf-8", markdown(&d.Methods[i]))
	}
	for name, mediaType := range clientTypes {
		h.add(clientsPath+name, mediaType, client(d, name))
	}
	return h
}

func (h *Handler) add(path, mediaType string, content []byte) {
	sum := sha256.Sum256(content)
	h.files[path] = file{mediaType, `"` + hex.EncodeToString(sum[:8]) + `"`, content}
}

// policy lets the page load only files of this server, and lets its script call only this server.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP answers a GET or HEAD of a path of Paths.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, found := h.files[r.URL.Path]
	switch {
	case !found:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD are allowed here", http.StatusMethodNotAllowed)
		return
	}
	header := w.Header()
	header.Set("Content-Type", f.mediaType)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-cache") // the browser asks whether the ETag has changed
	header.Set("ETag", f.etag)
	if r.Header.Get("If-None-Match") == f.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Write(f.content) // an error means that the client has gone
}
