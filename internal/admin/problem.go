package admin

import (
	"embed"

	"enlist/internal/admin/ui"
)

//go:embed problem.html
var files embed.FS

var problemPage = ui.Parse(files, "problem.html")

// problem returns a page that only says what went wrong: a key of the catalogue, or a text of a service.
func (h *Handler) problem(text string) *ui.View {
	return &ui.View{Title: h.options.Language.Text("ui.problem"), Problem: text, Content: problemPage}
}
