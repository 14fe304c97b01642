package mail

import (
	"cmp"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode/utf8"

	"enlist/internal/colour"
	"enlist/internal/messages"
)

// This file makes the rows of videos, cards, menus, links to networks and tables.

// video returns a picture with a bar below it. Gmail and Outlook show no video, and no mark above a picture: they remove
// positions, and Outlook shows a background only by VML, in one size. So the mark is in the bar, which also stays
// when pictures are off.
func (d *themedDocument) video(b *messages.Block, width int64) string {
	if b.Width > 0 {
		width = min(width, b.Width)
	}
	picture := ""
	if b.HasPicture() {
		picture = `<tr><td class="still">` + d.image(b, width, radius(b.Corner, true, false)) + "</td></tr>"
	}
	bar := "<tr><td " + d.filled("play", b, b.Corner, !b.HasPicture()) + `><a href="` + html.EscapeString(b.Link) + `">&#9658;&nbsp; ` +
		html.EscapeString(cmp.Or(b.Text, b.Alt)) + "</a></td></tr>"
	return cell("film", b.Align, table(fmt.Sprintf(`class="fit" width="%d" style="max-width: %dpx"`, width, width))+picture+bar+"</table>")
}

// card returns a picture, a title, a text, a label and a button: below each other, or with the picture at a side.
func (d *themedDocument) card(b *messages.Block, width int64) string {
	const share = 40 // of a picture at a side
	isBeside := b.Place != "" && d.side == cardPadding && b.HasPicture()
	if !isBeside {
		return d.cardPicture(b, width) + d.cardText(b)
	}
	picture, text := d.column(d.inColumn(func() string {
		return d.cell("picture wide", "", d.image(b, columnRoom(width, share), radius(b.Corner/2, true, true)))
	}), share), d.column(d.inColumn(func() string { return d.cardText(b) }), 100-share)
	if b.Place == "right" { // a phone shows the picture above the text, as the other cards
		return besides(`width="100%" dir="rtl"`, ltr(picture)+ltr(text))
	}
	return besides(`width="100%"`, picture+text)
}

// ltr returns a column in a table whose columns begin at the right.
func ltr(column string) string { return `<td dir="ltr"` + strings.TrimPrefix(column, "<td") }

// inColumn returns rows in a column.
func (d *themedDocument) inColumn(rows func() string) string {
	defer func(was int64) { d.side = was }(d.side)
	d.side = gutter
	return rows()
}

// cardPicture returns the picture above the text. In a box it goes to the edges.
func (d *themedDocument) cardPicture(b *messages.Block, width int64) string {
	if !b.HasPicture() {
		return ""
	}
	if !d.inBox || !hasBox(b) || b.Padding > 0 {
		return d.cell("picture wide", b.Align, d.image(b, width, ""))
	}
	return d.cell("picture full wide", b.Align, d.image(b, width+2*d.side, radius(b.Corner, true, false)))
}

func (d *themedDocument) cardText(b *messages.Block) string {
	var text strings.Builder
	if b.Title != "" {
		title := html.EscapeString(b.Title)
		if b.Link != "" {
			skip := ""
			if b.Button != "" {
				skip = ` tabindex="-1"`
			}
			title = `<a class="title" href="` + html.EscapeString(b.Link) + `"` + skip + ">" + title + "</a>"
		}
		text.WriteString(`<h3 class="name">` + title + "</h3>")
	}
	text.WriteString(d.markdown(b.Text) + paragraph("label", b.Label))
	rows := ""
	if text.Len() > 0 {
		rows = d.cell("text", b.Align, text.String())
	}
	if b.Button != "" {
		rows += cell("press", b.Align, d.button(b))
	}
	return rows
}

// outlookSpace is a space that only Outlook shows, which ignores the padding of links.
const outlookSpace = "<!--[if mso]>&nbsp;&nbsp;<![endif]-->"

func (d *themedDocument) menu(b *messages.Block) string {
	var links []string
	for _, item := range b.Items {
		if item.Text != "" {
			links = append(links, `<a href="`+html.EscapeString(item.Link)+`">`+html.EscapeString(item.Text)+"</a>")
		}
	}
	if len(links) == 0 {
		return ""
	}
	return d.cell("menu", b.Align, strings.Join(links, outlookSpace+" "))
}

// iconWidth is the width of an icon in pixels.
const iconWidth = 32

func (d *themedDocument) social(b *messages.Block) string {
	ground := d.iconColour()
	var links []string
	for i := range b.Items {
		item := &b.Items[i]
		if item.Link == "" {
			continue // a draft
		}
		n := item.NetworkOf()
		alt := cmp.Or(item.Text, n.Title)
		if at, err := url.Parse(item.Link); err == nil && n.Name == "website" && item.Text == "" && at.Host != "" {
			alt = strings.TrimPrefix(at.Host, "www.")
		}
		links = append(links, fmt.Sprintf(`<a href="%s"><img src="%s" alt="%s" width="%d" height="%d"></a>`, html.EscapeString(item.Link),
			html.EscapeString(d.urls.public+n.IconPath(ground)), html.EscapeString(alt), iconWidth, iconWidth))
	}
	if len(links) == 0 {
		return ""
	}
	return d.cell("social", b.Align, strings.Join(links, outlookSpace+" "))
}

// iconColour returns the colour of icons: that of the words on a ground, or the accent of the theme, which is made lighter
// until it can be seen on a dark screen. A picture is the same in the dark, so on a ground that changes there it has the
// accent too.
func (d *themedDocument) iconColour() string {
	isSoft := d.tone.ground != "" && d.darkGround(d.tone.ground) != d.tone.ground
	if d.tone != (tone{}) && !isSoft {
		ink, _, _, _ := d.inks(d.tone)
		return ink
	}
	return colour.Parse(d.Accent).Seen(colour.Parse(darkCard)).String()
}

// table returns a table of words. A screen reader says the head of each column with its cells.
func (d *themedDocument) table(b *messages.Block) string {
	if len(b.Rows) == 0 {
		return ""
	}
	var rows strings.Builder
	for i, row := range b.Rows {
		start, end := "<td>", "</td>"
		if b.Head && i == 0 {
			start, end = `<th scope="col">`, "</th>"
		}
		rows.WriteString("<tr>")
		for _, text := range row {
			rows.WriteString(start + html.EscapeString(text) + end)
		}
		rows.WriteString("</tr>\n")
	}
	class := "grid"
	if fitsPhone(b.Rows) {
		class += " whole"
	}
	return d.words(b, `<table class="`+class+`" width="100%" cellpadding="0" cellspacing="0" border="0">`+rows.String()+"</table>")
}

// fitsPhone reports whether a phone can show a table without breaking a word: the longest words of its columns fit beside
// each other. The editor does the same: internal/admin/editor/source/schema.js.
func fitsPhone(rows [][]string) bool {
	const most = 34 // letters in a line
	longest := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, text := range row[:min(len(row), len(longest))] {
			for word := range strings.FieldsSeq(text) {
				longest[i] = max(longest[i], utf8.RuneCountInString(word))
			}
		}
	}
	sum := 0
	for _, n := range longest {
		sum += n + 1
	}
	return sum <= most
}
