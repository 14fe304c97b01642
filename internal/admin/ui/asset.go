package ui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"enlist/internal/admin/editor"
)

// This file serves style sheets and scripts. htmx is version 2.0.11, as the npm package htmx.org has it; htmx.LICENSE has
// its licence. A test compares its checksum. Package editor has the script of the editor of Messages.

// assetKinds are the files, with their media types.
var assetKinds = map[string]string{
	"style.css":   "text/css; charset=utf-8",
	"htmx.min.js": "text/javascript; charset=utf-8",
	"passkey.js":  "text/javascript; charset=utf-8",
	"form.js":     "text/javascript; charset=utf-8",
	"kept.js":     "text/javascript; charset=utf-8",
	"picker.js":   "text/javascript; charset=utf-8",
	"autosave.js": "text/javascript; charset=utf-8",
	"session.js":  "text/javascript; charset=utf-8",
	"editor.js":   "text/javascript; charset=utf-8",
	"editor.css":  "text/css; charset=utf-8",
}

// assetPaths returns the path of each file. It changes with the content, so that browsers may keep the file.
func assetPaths() map[string]string {
	all := make(map[string]string, len(assetKinds))
	for name := range assetKinds {
		sum := sha256.Sum256(read(name))
		all[name] = "/admin/assets/" + hex.EncodeToString(sum[:6]) + path.Ext(name)
	}
	return all
}

func read(name string) []byte {
	b, err := files.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		b, err = editor.Files.ReadFile(name)
	}
	if err != nil {
		panic(err) // it is in the program
	}
	return b
}

// Assets are the files, by their paths.
type Assets map[string]asset

// asset is a file. It is compressed when a browser first asks for it, because that takes 12 ms.
type asset struct {
	kind   string
	plain  []byte
	packed func() []byte
}

// NewAssets reads the files.
func NewAssets() Assets {
	all := make(Assets)
	for name, at := range assetPaths() {
		b := read(name)
		all[at] = asset{assetKinds[name], b, sync.OnceValue(func() []byte { return pack(b) })}
	}
	return all
}

// pack compresses a file as far as possible.
func pack(b []byte) []byte {
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is valid
	w.Write(b)                                                 // a Buffer returns no error
	w.Close()
	return packed.Bytes()
}

// ServeHTTP sends a file.
func (a Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	file, ok := a[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	head := w.Header()
	head.Set("Content-Type", file.kind)
	head.Set("Cache-Control", "public, max-age=31536000, immutable")
	head.Set("Vary", "Accept-Encoding")
	b := file.plain
	if acceptsGzip(r) {
		head.Set("Content-Encoding", "gzip")
		b = file.packed()
	}
	w.Write(b) // an error means that the client has disconnected
}

// acceptsGzip reports whether a browser reads compressed replies. All do.
func acceptsGzip(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
}
