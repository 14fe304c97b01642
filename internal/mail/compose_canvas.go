package mail

import (
	"context"
	"strings"

	"enlist/internal/messages"
)

// This file has what the editor needs to look like the mail: the rules of the theme, and the HTML of each text in Markdown.
// So goldmark alone reads Markdown. decisions.md: 159

// Canvas implements messages.Composer.
func (c *composer) Canvas(ctx context.Context, m *messages.Message) (*messages.Canvas, error) {
	d := &themedDocument{Theme: messages.DecodeTheme(m.Theme), effort: effort{ctx: ctx}}
	all, err := messages.DecodeBlocks(m.Blocks)
	if err != nil {
		return nil, err
	}
	canvas := &messages.Canvas{Theme: d.Theme, Sheet: d.canvasSheet(), Room: d.room()}
	messages.EachBlock(all, func(b *messages.Block) {
		if b.HasMarkdown() {
			canvas.Contents = append(canvas.Contents, d.markdown(b.Text))
		}
		if b.Type != messages.BlockPreheader { // it is above the canvas
			canvas.Wrong = append(canvas.Wrong, b.LinkProblem())
		}
	})
	return canvas, d.refused
}

// canvasSheet returns the rules of the theme for the element of the class canvas. It is as wide as the window of the mail
// program, and has the class dark for one in the dark.
func (d *themedDocument) canvasSheet() string {
	return ".canvas {" + strings.NewReplacer("@media (max-width: 520px)", "@container canvas (max-width: 520px)",
		"@media (prefers-color-scheme: dark)", "&.dark", ":root {", "& {").Replace(d.sheet()) + "}\n"
}
