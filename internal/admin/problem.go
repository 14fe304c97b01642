package admin

import (
	"embed"

	"enlist/internal/admin/ui"
)

//go:embed problem.html
var files embed.FS

var problemPage = ui.Parse(files, "problem.html")

// problem returns a page that only says what went wrong.
func problem(text string) *ui.View {
	return &ui.View{Title: "This does not work", Problem: text, Content: problemPage}
}
