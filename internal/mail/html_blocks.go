package mail

import (
	"cmp"
	"fmt"
	"html"
	"strconv"
	"strings"

	"enlist/internal/messages"
	"enlist/internal/samples"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// This file makes rows of a table from the blocks of a Message. Merge fields stay in them.

// cell returns a row with one cell. The content must be balanced HTML.
func cell(class, align, content string) string {
	if align != "" {
		align = ` align="` + align + `" style="text-align: ` + align + `"`
	}
	return `<tr><td class="` + class + `" dir="auto"` + align + ">" + content + "</td></tr>\n"
}

// cell returns a row with one cell, in the colours of the block.
func (d *themedDocument) cell(class, align, content string) string {
	return cell(d.inTone(class), align, content)
}

// rows returns the rows of blocks. width is the room for an image, in pixels.
func (d *themedDocument) rows(all []messages.Block, width int64) string {
	var b strings.Builder
	for i := range all {
		b.WriteString(d.shownPictures(d.block(&all[i], width), width))
		if isBand(&all[i]) && i+1 < len(all) && !isBand(&all[i+1]) {
			b.WriteString(space(bandSpace))
		}
	}
	return b.String()
}

// row returns the row of a block, without the looks that it has in place of the theme.
func (d *themedDocument) row(b *messages.Block, width int64) string {
	switch b.Type {
	case messages.BlockHeading:
		level := strconv.FormatInt(max(1, b.Level), 10)
		return d.words(b, "<h"+level+">"+html.EscapeString(b.Text)+"</h"+level+">")
	case messages.BlockText:
		return d.words(b, d.markdown(b.Text))
	case messages.BlockImage:
		if !b.HasPicture() {
			return "" // the author has chosen none yet
		}
		class := "picture"
		if b.Width == 0 || b.Width >= width { // it fills its column, which is wider on a phone
			class += " wide"
		}
		return d.cell(class, b.Align, d.image(b, width, radius(b.Corner, true, true))+paragraph("caption", b.Caption))
	case messages.BlockVideo:
		return d.video(b, width)
	case messages.BlockCard:
		return d.card(b, width)
	case messages.BlockButton:
		return cell("press", b.Align, d.button(b))
	case messages.BlockMenu:
		return d.menu(b)
	case messages.BlockSocial:
		return d.social(b)
	case messages.BlockTable:
		return d.table(b)
	case messages.BlockColumns:
		columns, shares := b.Columns()
		var cells strings.Builder
		for i := range columns {
			cells.WriteString(d.column(d.rowsInColumn(columns[i], columnRoom(width, shares[i])), shares[i]))
		}
		return besides(`width="100%"`, cells.String())
	case messages.BlockLine:
		class := "rule"
		if b.Colour != "" {
			rule := ".$ hr { border-color: " + b.Colour + "; }\n"
			class += " " + d.own(rule, rule)
		}
		return cell(class, "", "<hr>")
	case messages.BlockSpace:
		return space(cmp.Or(b.Height, messages.DefaultSpace))
	case messages.BlockQuote:
		by := ""
		if b.By != "" {
			by = `<p class="by">— ` + html.EscapeString(b.By) + "</p>"
		}
		return d.words(b, "<blockquote>"+d.markdown(b.Text)+by+"</blockquote>")
	case messages.BlockHTML:
		return d.cell("html", b.Align, balanced(plainFallbacks(b.HTML)))
	}
	return ""
}

func space(pixels int64) string {
	height := strconv.FormatInt(pixels, 10)
	return `<tr><td class="space" height="` + height + `" style="height: ` + height + `px">&nbsp;</td></tr>` + "\n"
}

// paragraph returns a paragraph of a class, or "" if it has no text.
func paragraph(class, text string) string {
	if text == "" {
		return ""
	}
	return `<p class="` + class + `">` + html.EscapeString(text) + "</p>"
}

// preheader returns the text that mail programs show beside the subject. The spaces keep them from showing the begin of
// the mail after it.
func preheader(all []messages.Block) string {
	for i := range all {
		if b := &all[i]; b.Type == messages.BlockPreheader && b.Text != "" {
			return `<div style="display: none; max-height: 0; overflow: hidden; mso-hide: all; font-size: 1px; line-height: 1px;">` +
				html.EscapeString(b.Text) + strings.Repeat("&#8199;&#847; ", 60) + "</div>\n"
		}
	}
	return ""
}

// gutter is the half of the space between two columns, in pixels: what a cell of a column has at each side.
const gutter = cardPadding / 2

// columnRoom returns the room for an image in a column of a share in percent, in a text of a width.
func columnRoom(width, share int64) int64 { return (width+2*gutter)*share/100 - 2*gutter }

// besides returns the row of columns, which are below each other on a phone, in a table with attributes.
func besides(attributes, columns string) string {
	return `<tr><td class="columns">` + table(attributes) + "<tr>" + columns + "</tr></table></td></tr>\n"
}

func (d *themedDocument) column(rows string, share int64) string {
	style, part := "", strconv.FormatInt(share, 10)+"%"
	if share != 50 { // the width that the class has
		style = ` style="width: ` + part + `"`
	}
	return `<td class="col" width="` + part + `" valign="top"` + style + ">" + table(`width="100%"`) + rows + "</table></td>"
}

func (d *themedDocument) rowsInColumn(all []messages.Block, width int64) string {
	defer func(was int64) { d.side = was }(d.side)
	d.side = gutter
	return d.rows(all, width)
}

// image returns the picture of a block, with its link. Outlook shows an image without a width in its own size.
func (d *themedDocument) image(b *messages.Block, width int64, corners string) string {
	source := b.URL
	if b.Width > 0 && b.Type == messages.BlockImage {
		width = min(width, b.Width)
	}
	switch {
	case b.File != 0:
		source = d.urls.picture(b.File, width, b.Crop)
	case samples.Is(source):
		source = d.urls.public + source
	}
	class := ""
	if corners != "" {
		class = ` class="` + d.own(".$ { "+corners+"}\n", "") + `"`
	}
	if b.Decor && b.Alt == "" {
		class += ` role="presentation"`
	}
	image := fmt.Sprintf(`<img src="%s" alt="%s" width="%d"%s>`, html.EscapeString(source), html.EscapeString(b.Alt),
		width, class)
	if b.Link == "" {
		return image
	}
	skip := ""
	if b.Type != messages.BlockImage { // keys and the text part have the same link at the words of the block
		skip = ` tabindex="-1"`
	}
	return `<a href="` + html.EscapeString(b.Link) + `"` + skip + ">" + image + "</a>"
}

// button returns a table that looks like a button. Outlook ignores the padding of a link.
func (d *themedDocument) button(b *messages.Block) string {
	align := ""
	if b.Align != "" {
		align = `align="` + b.Align + `"`
	}
	text := b.Text
	corner := b.Corner
	if b.Type == messages.BlockCard { // its corner is that of the card
		text, corner = b.Button, 0
	}
	return table(align) + `<tr><td ` + d.filled("button", b, corner, true) + `><a href="` +
		html.EscapeString(b.Link) + `">` + html.EscapeString(text) + "</a></td></tr></table>"
}

// balanced returns HTML in which each element ends, so that it cannot end the table around it.
func balanced(source string) string {
	around := &nethtml.Node{Type: nethtml.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := nethtml.ParseFragment(strings.NewReader(source), around)
	if err != nil {
		return html.EscapeString(source)
	}
	var b strings.Builder
	for _, n := range nodes {
		if err := nethtml.Render(&b, n); err != nil {
			return html.EscapeString(source)
		}
	}
	return b.String()
}
