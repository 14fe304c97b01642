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

// contentPolicy allows the pages nothing but their own style.
func contentPolicy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
}

// page is what a page shows. Templates escape all of it.
type page struct {
	Title   string // of the window; the heading says the same
	List    string // name
	Address string // masked, "" when the visitor need not see one
	Details *details
}

// Style is the style sheet that every page has in it.
func (page) Style() template.CSS { return template.CSS(style) }

// readPages returns the templates by the name of their file.
func readPages() map[string]*template.Template {
	const layout = "layout.html"
	pages := make(map[string]*template.Template)
	base := template.Must(template.ParseFS(files, "pages/"+layout))
	entries, err := files.ReadDir("pages")
	if err != nil {
		panic(err) // they are in the program
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".html"); ok && e.Name() != layout {
			pages[name] = template.Must(template.Must(base.Clone()).ParseFS(files, "pages/"+e.Name()))
		}
	}
	return pages
}

// render answers with a page.
func (h *Handler) render(w http.ResponseWriter, status int, name string, p page) {
	var b bytes.Buffer
	if err := h.pages[name].ExecuteTemplate(&b, "layout.html", p); err != nil {
		panic(fmt.Sprintf("page %s: %v", name, err)) // a mistake in the template
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	send(w, status, b.String())
}
