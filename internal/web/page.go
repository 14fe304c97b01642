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
var pageFiles embed.FS

//go:embed pages/style.css
var style string

// This file writes pages from the templates in the folder pages. The templates are embedded in the
// program.

// contentPolicy returns the Content-Security-Policy of all pages. The policy allows the style
// sheet, by its hash, and forms that are sent to this server. It forbids everything else, including
// scripts.
func contentPolicy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
}

// page is the data of a page. The templates escape all of it for HTML.
type page struct {
	Title   string // title of the browser window, without the List's name
	List    string // name of the List, "" if the List was removed
	Address string // masked address, "" if the page shows no address
	Details *details
}

// Style returns the style sheet, which every page contains.
func (page) Style() template.CSS { return template.CSS(style) }

// readPages returns the templates. The key of a template is its file name without ".html".
func readPages() map[string]*template.Template {
	const layout = "layout.html"
	pages := make(map[string]*template.Template)
	base := template.Must(template.ParseFS(pageFiles, "pages/"+layout))
	entries, err := pageFiles.ReadDir("pages")
	if err != nil {
		panic(err) // the folder is embedded
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".html"); ok && e.Name() != layout {
			pages[name] = template.Must(template.Must(base.Clone()).ParseFS(pageFiles, "pages/"+e.Name()))
		}
	}
	return pages
}

// render replies with a page. name is the name of the template.
func (h *Handler) render(w http.ResponseWriter, status int, name string, p page) {
	var b bytes.Buffer
	if err := h.pages[name].ExecuteTemplate(&b, "layout.html", p); err != nil {
		panic(fmt.Sprintf("page %s: %v", name, err)) // the template has an error
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	send(w, status, b.String())
}
