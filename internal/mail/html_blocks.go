package mail

import (
	"cmp"
	"fmt"
	"html"
	"strconv"
	"strings"

	"enlist/internal/messages"

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

// rows returns the rows of blocks. width is the room for an image, in pixels.
func (d *themedDocument) rows(all []messages.Block, width int64) string {
	var b strings.Builder
	for i := range all {
		b.WriteString(d.block(&all[i], width))
	}
	return b.String()
}

func (d *themedDocument) block(b *messages.Block, width int64) string {
	switch b.Type {
	case messages.BlockHeading:
		level := strconv.FormatInt(max(1, b.Level), 10)
		return cell("text", b.Align, "<h"+level+">"+html.EscapeString(b.Text)+"</h"+level+">")
	case messages.BlockText:
		return cell("text", b.Align, d.markdown(b.Text))
	case messages.BlockImage:
		if b.File == 0 && b.URL == "" {
			return "" // the author has chosen none yet
		}
		return cell("picture", b.Align, d.image(b, width))
	case messages.BlockButton:
		return cell("press", b.Align, d.button(b))
	case messages.BlockColumns:
		left, right := b.Shares()
		return "<tr><td>" + table(`width="100%"`) + "<tr>" + d.column(b.Left, width, left) + d.column(b.Right, width, right) +
			"</tr></table></td></tr>\n"
	case messages.BlockLine:
		return cell("rule", "", "<hr>")
	case messages.BlockSpace:
		height := strconv.FormatInt(cmp.Or(b.Height, messages.DefaultSpace), 10)
		return `<tr><td class="space" height="` + height + `" style="height: ` + height + `px">&nbsp;</td></tr>` + "\n"
	case messages.BlockQuote:
		by := ""
		if b.By != "" {
			by = `<p class="by">— ` + html.EscapeString(b.By) + "</p>"
		}
		return cell("text", b.Align, "<blockquote>"+d.markdown(b.Text)+by+"</blockquote>")
	case messages.BlockHTML:
		return cell("html", b.Align, balanced(plainFallbacks(b.HTML)))
	}
	return ""
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

// columnRoom returns the room for an image in a column of a share in percent, in a text of a width.
func columnRoom(width, share int64) int64 { return (width+2*cardPadding)*share/100 - 2*cardPadding }

func (d *themedDocument) column(all []messages.Block, width, share int64) string {
	style, part := "", strconv.FormatInt(share, 10)+"%"
	if share != 50 { // the width that the class has
		style = ` style="width: ` + part + `"`
	}
	return `<td class="col" width="` + part + `" valign="top"` + style + ">" + table(`width="100%"`) +
		d.rows(all, columnRoom(width, share)) + "</table></td>"
}

// image returns an image, with its link. Outlook shows an image without a width in its own size.
func (d *themedDocument) image(b *messages.Block, width int64) string {
	source := b.URL
	if b.File != 0 {
		source = d.fileURL(b.File)
	}
	if b.Width > 0 {
		width = min(width, b.Width)
	}
	image := fmt.Sprintf(`<img src="%s" alt="%s" width="%d">`, html.EscapeString(source), html.EscapeString(b.Alt),
		width)
	if b.Link == "" {
		return image
	}
	return `<a href="` + html.EscapeString(b.Link) + `">` + image + "</a>"
}

// button returns a table that looks like a button. Outlook ignores the padding of a link.
func (d *themedDocument) button(b *messages.Block) string {
	align := ""
	if b.Align != "" {
		align = `align="` + b.Align + `"`
	}
	return table(align) + `<tr><td class="button" bgcolor="` + d.Accent + `"><a href="` +
		html.EscapeString(b.Link) + `">` + html.EscapeString(b.Text) + "</a></td></tr></table>"
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
