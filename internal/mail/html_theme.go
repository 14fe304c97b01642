package mail

import (
	"context"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/colour"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file makes the HTML document of a Message in Markdown or blocks, in the theme of its Account. Outlook knows
// neither max-width nor blocks with padding, so the document consists of tables. inlineStyles moves the rules into
// style attributes; those of media queries stay. html_blocks.go makes the rows. decisions.md: 134

// isThemed reports whether mails of a Message have the theme.
func isThemed(m *messages.Message) bool {
	return m.EmailType == messages.EmailMarkdown || m.EmailType == messages.EmailBlocks
}

// sourceHTML returns the HTML of a Message with its merge fields. An error says what
// the author can do, or is that of the context.
func sourceHTML(ctx context.Context, m *messages.Message, at urls) (string, error) {
	if !isThemed(m) {
		return completeFileLinks(plainFallbacks(m.HTML), at), nil
	}
	d := &themedDocument{Theme: messages.DecodeTheme(m.Theme), urls: at, side: cardPadding, effort: effort{ctx: ctx}}
	rows, before := "", ""
	if m.EmailType == messages.EmailMarkdown {
		rows = d.shownPictures(cell("text", "", d.markdown(m.Text)), d.room())
	} else if all, err := messages.DecodeBlocks(m.Blocks); err != nil { // a later version may store another form
		return "", nil
	} else {
		all = messages.Unconditional(all)
		rows, before = d.rows(all, d.room()), preheader(all)
	}
	if d.refused != nil {
		return "", d.refused
	}
	return d.document(before, completeFileLinks(rows, at)), nil
}

// markdown returns a text in Markdown as HTML. d.refused is the first error.
func (d *themedDocument) markdown(text string) string {
	if d.refused != nil {
		return ""
	}
	converted, err := markdownHTML(&d.effort, text)
	d.refused = err
	return converted
}

// The colours of mails in the dark. Those of the theme are made for the light; only its accent is kept.
const (
	darkPaper  = "#16181a"
	darkCard   = "#1e2124"
	darkText   = "#e6e3dd"
	darkSecond = "#9b988f"
	darkLine   = "#4a4f54"
)

// cardPadding is the space at both sides of the text, in pixels.
const cardPadding = 24

// urls makes the URLs of what mails show of this service.
type urls struct {
	public string // without a slash at its end
	key    *enlist.LinkKey
}

// file returns the URL of a file.
func (u urls) file(id enlist.FileID) string { return u.public + u.key.FilePath(id) }

// picture returns the URL of an image that a mail shows in a width, with twice as many pixels: screens with small ones show
// them all. decisions.md: 164
func (u urls) picture(id enlist.FileID, width int64, crop string) string {
	return u.public + u.key.PicturePath(enlist.Picture{File: id, Width: 2 * width, Crop: crop})
}

// themedDocument is the document of one Message.
type themedDocument struct {
	messages.Theme
	urls    urls
	effort  effort // of its texts in Markdown
	refused error

	side  int64 // space at both sides of a block in pixels: cardPadding, or gutter in a column
	tone  tone  // colours of the block that is written
	inBox bool  // the block that is written has its own ground
	owned []ownRules
}

// room returns the width of the text in pixels.
func (d *themedDocument) room() int64 { return d.Width - 2*cardPadding }

// footMark is where compose_render.go inserts who sends the mail and the link to unsubscribe.
const footMark = "<!--enlist:foot-->"

// document returns the HTML with rows in its middle, and something before them that is not shown.
func (d *themedDocument) document(before, rows string) string {
	width := strconv.FormatInt(d.Width, 10)
	rows = d.logo() + rows
	return `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<style>` + usedRules(d.sheet(), rows) + `</style>
</head>
<body>
` + before + table(`class="paper" width="100%" bgcolor="`+d.Background+`"`) + `<tr><td class="around" align="center">
<!--[if mso]>` + table(`width="`+width+`"`) + `<tr><td><![endif]-->
` + table(`class="card" width="100%" bgcolor="`+d.Card+`"`) + `
<tr><td class="top" height="` + strconv.Itoa(cardPadding/2) + `"></td></tr>
` + rows + `<tr><td class="foot" align="center">` + footMark + `</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
`
}

// table returns the start tag of a table that only places its cells.
func table(attributes string) string {
	return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" ` + attributes + ">"
}

// logo returns the row of the logo.
func (d *themedDocument) logo() string {
	if d.Logo == 0 {
		return ""
	}
	return cell("picture", "", fmt.Sprintf(`<img src="%s" alt="%s" width="%d">`, html.EscapeString(d.urls.picture(d.Logo, min(d.LogoWidth, d.room()), "")),
		html.EscapeString(d.LogoText), min(d.LogoWidth, d.room())))
}

// sheet returns the style sheet. The classes are those of document and of html_blocks.go.
func (d *themedDocument) sheet() string {
	card, text, accent := colour.Parse(d.Card), colour.Parse(d.Text), colour.Parse(d.Accent)
	around := "0"
	if d.Background != d.Card {
		around = "24px 12px"
	}
	own, darkOwn := d.ownSheet()
	return strings.NewReplacer("$OWN", own, "$DARKOWN", darkOwn, "$FONT", d.FontStack(), "$PAPER", d.Background, "$CARD", d.Card, "$TEXT", d.Text,
		"$WIDTH", strconv.FormatInt(d.Width, 10), "$AROUND", around, "$ACCENT", d.Accent,
		"$LINK", accent.On(card, text).String(), "$ONACCENT", accent.TextOn().String(),
		"$SECOND", d.second(), "$RULE", card.Mix(text, 0.2).String(), "$SOFT", card.Mix(text, 0.06).String(),
		"$DARKLINK", accent.On(colour.Parse(darkCard), colour.Parse(darkText)).String(), "$DARKPAPER", darkPaper,
		"$DARKCARD", darkCard, "$DARKTEXT", darkText, "$DARKSECOND", darkSecond, "$DARKLINE", darkLine,
	).Replace(themeSheet)
}

// usedRules returns the lines of a style sheet without the selectors that match nothing in rows. Each mail would
// contain them.
func usedRules(sheet, rows string) string {
	var b strings.Builder
	for line := range strings.Lines(sheet) {
		selectors, rule, isRule := strings.Cut(line, " {")
		if !isRule || strings.HasPrefix(line, "@") {
			b.WriteString(line)
			continue
		}
		var used []string
		for selector := range strings.SplitSeq(selectors, ", ") {
			if isUsed(selector, rows) {
				used = append(used, selector)
			}
		}
		if len(used) > 0 {
			b.WriteString(strings.Join(used, ", ") + " {" + rule)
		}
	}
	return b.String()
}

// isUsed reports whether rows have all classes and elements of a selector.
func isUsed(selector, rows string) bool {
	for part := range strings.FieldsSeq(selector) {
		class, isClass := strings.CutPrefix(part, ".")
		switch {
		case part == ">", strings.HasPrefix(part, ":") && part != ":root": // depends on the place of an element
		case slices.Contains([]string{":root", "body", "paper", "around", "card", "top", "foot"}, class):
			if part == ".foot" {
				return true // its link is added later
			}
		case isClass && !hasClass(rows, class),
			!isClass && !strings.Contains(rows, "<"+part+" ") && !strings.Contains(rows, "<"+part+">"):
			return false
		}
	}
	return true
}

// hasClass reports whether an element has a class, perhaps beside another one.
func hasClass(rows, class string) bool {
	return strings.Contains(rows, `class="`+class+`"`) || strings.Contains(rows, `class="`+class+` `) ||
		strings.Contains(rows, ` `+class+`"`) || strings.Contains(rows, ` `+class+` `)
}

// second returns the colour of what is less important.
func (d *themedDocument) second() string {
	card, text := colour.Parse(d.Card), colour.Parse(d.Text)
	return text.Mix(card, 0.35).On(card, text).String()
}

// themeSheet is the style sheet. A property of the media query also stands in a rule that is inlined, or has
// !important.
const themeSheet = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 0; background: $PAPER; }
.paper { background: $PAPER; }
.around { padding: $AROUND; }
.card { max-width: $WIDTHpx; background: $CARD; margin: 0 auto; }
.top { height: 12px; font-size: 0; line-height: 0; }
.text, .html, .picture { color: $TEXT; font-family: $FONT; font-size: 16px; line-height: 1.5; }
.text, .html { padding: 0 24px; overflow-wrap: anywhere; }
.picture { padding: 0 24px 16px; }
.picture img { border: 0; max-width: 100%; height: auto; display: inline-block; }
.foot { padding: 12px 24px 24px; color: $SECOND; font-family: $FONT; font-size: 13px; line-height: 1.5; }
.press { padding: 4px 24px 20px; }
.box { padding: 0 24px 16px; }
.full { padding: 0 0 16px; }
.columns { padding: 0 12px; }
.button { background: $ACCENT; border-radius: 5px; mso-padding-alt: 11px 22px; }
.button a { display: inline-block; padding: 11px 22px; color: $ONACCENT; text-decoration: none; }
.button a { font-family: $FONT; font-size: 16px; line-height: 1.25; font-weight: bold; }
.film { padding: 0 24px 16px; font-family: $FONT; line-height: 1.5; }
.fit { width: 100%; }
.still img { border: 0; display: block; width: 100%; height: auto; }
.play { background: $ACCENT; mso-padding-alt: 12px 16px; }
.play a { display: block; padding: 12px 16px; color: $ONACCENT; text-align: left; text-decoration: none; font-size: 16px; font-weight: bold; }
.menu, .social { padding: 4px 18px 16px; font-family: $FONT; font-size: 16px; line-height: 1.5; color: $TEXT; }
.menu a { display: inline-block; padding: 4px 6px; color: $LINK; text-decoration: none; font-weight: bold; }
.social a { display: inline-block; padding: 2px 6px; color: $LINK; font-size: 13px; }
.social img { border: 0; display: inline-block; vertical-align: middle; }
.rule { padding: 8px 24px 24px; }
.space { font-size: 0; line-height: 0; }
.col { width: 50%; vertical-align: top; }
.col .text, .col .html { padding: 0 12px; }
.col .picture, .col .film, .col .box { padding: 0 12px 16px; }
.col .full { padding: 0 0 16px; }
.col .press { padding: 4px 12px 20px; }
.col .menu, .col .social { padding: 4px 6px 16px; }
.col .rule { padding: 8px 12px 24px; }
h1, h2, h3, h4 { line-height: 1.25; color: $TEXT; }
h1 { font-size: 28px; margin: 12px 0; }
h2 { font-size: 21px; margin: 12px 0 8px; }
h3 { font-size: 17px; margin: 12px 0 4px; }
h4 { margin: 12px 0 4px; }
.text p, .text ul, .text ol, .text table, .text blockquote, .text pre { margin: 0 0 16px; }
.text ul, .text ol { padding-left: 26px; }
.flush > :first-child { margin-top: 0; }
.flush > :last-child, .flush blockquote > :last-child { margin-bottom: 0; }
.text a, .html a, .picture a { color: $LINK; }
.text img { max-width: 100%; height: auto; }
.text blockquote { padding: 0 0 0 16px; border-left: 4px solid $RULE; }
.text pre { padding: 12px; background: $SOFT; white-space: pre-wrap; }
.text code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 14px; }
.text table { border-collapse: collapse; }
.text th, .text td { padding: 6px 12px; border: 1px solid $RULE; text-align: left; }
.text .title { color: $TEXT; text-decoration: none; }
.text .name { margin: 0 0 8px; }
.label { font-weight: bold; }
.text .grid { width: 100%; }
.whole { overflow-wrap: normal; }
.text .grid th, .text .grid td { border: 0; border-bottom: 1px solid $RULE; padding: 8px 12px 8px 0; vertical-align: top; }
.text .grid th { border-bottom: 2px solid $TEXT; }
.caption { color: $SECOND; font-size: 14px; margin: 8px 0 0; }
.text hr, .rule hr { border: 0; border-top: 1px solid $RULE; margin: 0; }
.text hr { margin: 24px 0; }
.by { color: $SECOND; font-size: 14px; }
$OWN@media (max-width: 520px) {
.col { display: block !important; width: 100% !important; }
.wide img { width: 100% !important; }
h1 { font-size: 26px !important; }
.text .grid th, .text .grid td { font-size: 14px !important; padding-right: 8px !important; }
}
@media (prefers-color-scheme: dark) {
body, .paper { background: $DARKPAPER; }
.card { background: $DARKCARD; }
.text, .html, .picture, .menu, .social, .text .title, h1, h2, h3, h4 { color: $DARKTEXT; }
.text a, .html a, .picture a, .menu a, .social a { color: $DARKLINK; }
.foot, .by, .caption { color: $DARKSECOND; }
.text pre { background: $DARKPAPER; }
.text blockquote, .rule hr, .text hr, .text th, .text td, .text .grid th, .text .grid td { border-color: $DARKLINE; }
$DARKOWN.card .foot a { color: $DARKSECOND !important; }
}
`
