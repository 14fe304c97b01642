package admin

import (
	"embed"
	"net/http"

	"enlist/internal/admin/ui"
	"enlist/internal/users"
)

//go:embed problem.html
var files embed.FS

var problemPage = ui.Parse(files, "problem.html")

// problem writes a page that only says what went wrong: a key of the catalogue, or a text of a service.
func (h *Handler) problem(w http.ResponseWriter, r *http.Request, status int, text string, v *users.Visit) {
	h.write(w, r, status, &ui.View{Title: h.languageOf(r, v).Text("ui.problem"), Problem: text, Content: problemPage}, v)
}
