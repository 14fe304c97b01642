package admin

import (
	"embed"
	"net/http"

	"enlist/internal/admin/signin"
	"enlist/internal/admin/ui"
	"enlist/internal/users"
)

//go:embed problem.html
var files embed.FS

var problemPage = ui.Parse(files, "problem.html")

// problem writes a page that only says what went wrong: a key of the catalogue, or a text of a service. If the server has
// failed, the page has the form of the request, and a button that sends it again: it must not be lost, and a browser that
// goes back does not show what was typed. No page has a password.
func (h *Handler) problem(w http.ResponseWriter, r *http.Request, status int, text string, v *users.Visit) {
	view := &ui.View{Title: h.languageOf(r, v).Text("ui.problem"), Problem: text, Content: problemPage}
	if status >= http.StatusInternalServerError && r.Method == http.MethodPost && !ui.HasSecret(r.PostForm) {
		view.Data = signin.Without(r.PostForm)
	}
	h.write(w, r, status, view, v)
}
