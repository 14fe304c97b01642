package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
)

//go:embed pages/*.html
var files embed.FS

//go:embed pages/style.css
var style string

// This file makes pages from the templates in the folder pages, which are part of the program.

// contentPolicy returns the Content-Security-Policy of all pages. It allows the style sheet,
// by its hash, and forms to this server. Everything else is forbidden, script included.
func contentPolicy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
}

// page is the data of a page. The templates escape all of it.
type page struct {
	Title   string // of the window; the heading has the same words
	List    string // its name, "" when it was removed
	Address string // masked, "" when the page shows none
	Details *details
}

// Style returns the style sheet, which every page contains.
func (page) Style() template.CSS { return template.CSS(style) }

// readPages returns the templates by the names of their files, without ".html".
func readPages() map[string]*template.Template {
	const layout = "layout.html"
	pages := make(map[string]*template.Template)
	base := template.Must(template.ParseFS(files, "pages/"+layout))
	entries, err := files.ReadDir("pages")
	if err != nil {
		panic(err) // the folder is embedded
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".html"); ok && e.Name() != layout {
			pages[name] = template.Must(template.Must(base.Clone()).ParseFS(files, "pages/"+e.Name()))
		}
	}
	return pages
}

// render answers with a page. name is that of its template.
func (h *Handler) render(w http.ResponseWriter, status int, name string, p page) {
	var b bytes.Buffer
	if err := h.pages[name].ExecuteTemplate(&b, "layout.html", p); err != nil {
		panic(fmt.Sprintf("page %s: %v", name, err)) // the template has an error
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	send(w, status, b.String())
}
