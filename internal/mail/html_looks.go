package mail

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/colour"
	"enlist/internal/messages"
)

// This file has what a block can have in place of the theme: colours, space and corners. They are rules of classes, as those
// of the theme: the dark can have others, and inlining decides between them. Words are moved towards black or white until
// they can be read. The editor does the same: internal/admin/editor/source/looks.js. decisions.md: 163

const (
	bandSpace   = 16 // below a band of colour that ends
	boxPadding  = 20 // above and below what stands on a colour
	usualBottom = 16 // what most blocks have below their content
)

// tone is a pair of colours: "" is that of the theme.
type tone struct{ ink, ground string }

// isBand reports whether the colour of a block goes from one side of the mail to the other.
func isBand(b *messages.Block) bool { return hasBox(b) && b.Corner == 0 && b.Ground != "" }

// hasBox reports whether a block has its ground, space or corners around its content. Those of a button, a picture and a
// video are their own.
func hasBox(b *messages.Block) bool {
	switch b.Type {
	case messages.BlockSpace, messages.BlockPreheader:
		return false
	case messages.BlockButton, messages.BlockVideo:
		return b.Padding > 0
	case messages.BlockImage:
		return b.Ground != "" || b.Padding > 0
	}
	return b.Ground != "" || b.Padding > 0 || b.Corner > 0
}

// block returns the rows of a block.
func (d *themedDocument) block(b *messages.Block, width int64) string {
	defer func(was tone, box bool) { d.tone, d.inBox = was, box }(d.tone, d.inBox)
	ground := b.Ground
	switch b.Type {
	case messages.BlockButton, messages.BlockVideo:
		ground = ""
	case messages.BlockLine, messages.BlockSpace:
		if ground != "" {
			d.tone = tone{"", ground}
		}
	default:
		if ground != "" {
			d.tone = tone{"", ground}
		}
		d.tone.ink = cmp.Or(b.Colour, d.tone.ink)
	}
	if !hasBox(b) {
		return d.row(b, width)
	}
	isInset := b.Corner > 0 && b.Type != messages.BlockButton && b.Type != messages.BlockVideo && b.Type != messages.BlockImage
	if isInset {
		width -= 2 * d.side
	}
	d.inBox = true
	row := d.row(b, width)
	if row == "" {
		return ""
	}
	rule, darkRule, attributes := "", "", ""
	if ground != "" {
		rule, attributes = "background: "+ground+"; ", ` bgcolor="`+ground+`"`
		if dark := d.darkGround(ground); dark != ground {
			darkRule = ".$ { background: " + dark + "; }\n"
		}
	}
	if isInset {
		rule += radius(b.Corner, true, true)
	}
	if rule != "" {
		attributes += ` class="` + d.own(".$ { "+rule+"}\n", darkRule) + `"`
	}
	if top, bottom := insets(b); top+bottom > 0 {
		attributes += fmt.Sprintf(` style="padding: %dpx 0 %dpx"`, top, bottom)
	}
	box := `<tr><td` + attributes + `>` + table(`width="100%"`) + row + "</table></td></tr>\n"
	if isInset {
		box = `<tr><td class="box">` + table(`width="100%"`) + box + "</table></td></tr>\n"
	}
	return box
}

// radius returns a declaration of round corners: those at the top, at the bottom or both.
func radius(pixels int64, top, bottom bool) string {
	switch {
	case pixels == 0:
		return ""
	case !bottom:
		return fmt.Sprintf("border-radius: %[1]dpx %[1]dpx 0 0; ", pixels)
	case !top:
		return fmt.Sprintf("border-radius: 0 0 %[1]dpx %[1]dpx; ", pixels)
	}
	return fmt.Sprintf("border-radius: %dpx; ", pixels)
}

// insets returns the space above and below the content of a box. Content that is not flush has some itself.
func insets(b *messages.Block) (top, bottom int64) {
	padding := b.Padding
	if padding == 0 && (b.Ground != "" || b.Corner > 0) {
		padding = boxPadding
	}
	switch {
	case isFlush(b):
		return padding, padding
	case b.Type == messages.BlockCard && b.Place == "" && b.HasPicture() && b.Padding == 0:
		return 0, max(0, padding-usualBottom) // the picture fills the box to its edges
	}
	return padding, max(0, padding-usualBottom)
}

// isFlush reports whether the first and the last words of a block stand at the edges of its box, without the space that
// words have above and below. With it, words would stand too high in a narrow band.
func isFlush(b *messages.Block) bool {
	switch b.Type {
	case messages.BlockText, messages.BlockHeading, messages.BlockQuote, messages.BlockTable:
		return hasBox(b)
	}
	return false
}

// words returns the row of a block that has only words.
func (d *themedDocument) words(b *messages.Block, content string) string {
	if isFlush(b) {
		return d.cell("text flush", b.Align, content)
	}
	return d.cell("text", b.Align, content)
}

// darkGround returns the ground of a block in the dark. A light one that is nearly the card only sets words apart: it
// becomes nearly the dark card, because a light box in a dark mail blinds. Another one is a colour that the author means.
func (d *themedDocument) darkGround(ground string) string {
	const nearly = 60 // the largest difference of red, green or blue
	g, card := colour.Parse(ground), colour.Parse(d.Card)
	for i := range g {
		if math.Abs(g[i]-card[i]) > nearly {
			return ground
		}
	}
	if colour.Contrast(g, colour.Parse(darkText)) >= colour.Readable {
		return ground // it is dark
	}
	return colour.Parse(darkCard).Mix(g, 0.08).String()
}

// ownRules are the rules of a class, in the light and in the dark, with a $ in place of its name.
type ownRules struct{ light, dark string }

// own returns the class that has some rules.
func (d *themedDocument) own(light, dark string) string {
	r := ownRules{light, dark}
	i := slices.Index(d.owned, r)
	if i < 0 {
		i = len(d.owned)
		d.owned = append(d.owned, r)
	}
	return "own" + strconv.Itoa(i)
}

// ownSheet returns the rules of all classes that own has returned.
func (d *themedDocument) ownSheet() (light, dark string) {
	for i, r := range d.owned {
		name := "own" + strconv.Itoa(i)
		light, dark = light+strings.ReplaceAll(r.light, "$", name), dark+strings.ReplaceAll(r.dark, "$", name)
	}
	return light, dark
}

// inTone returns a class with that of the colours of the block.
func (d *themedDocument) inTone(class string) string {
	if d.tone == (tone{}) {
		return class
	}
	const rules = ".$, .$ h1, .$ h2, .$ h3, .$ h4, .$ p, .$ th, .$ td, .$ .title { color: INK; }\n.$ a { color: LINK; }\n"
	ink, link, darkInk, darkLink := d.inks(d.tone)
	return class + " " + d.own(strings.NewReplacer("INK", ink, "LINK", link).Replace(rules),
		strings.NewReplacer("INK", darkInk, "LINK", darkLink).Replace(rules))
}

// inks returns the colours of words and links on a ground, in the light and in the dark.
func (d *themedDocument) inks(t tone) (ink, link, darkInk, darkLink string) {
	accent := colour.Parse(d.Accent)
	if t.ground != "" {
		ink, link = inksOn(colour.Parse(t.ground), t.ink, d.Text, accent)
		darkInk, darkLink = ink, link
		if dark := d.darkGround(t.ground); dark != t.ground {
			darkInk, darkLink = inksOn(colour.Parse(dark), t.ink, darkText, accent)
		}
		return ink, link, darkInk, darkLink
	}
	card, dark := colour.Parse(d.Card), colour.Parse(darkCard)
	words := colour.Parse(t.ink)
	return words.On(card, card.TextOn()).String(), accent.On(card, colour.Parse(d.Text)).String(),
		words.On(dark, colour.Parse(darkText)).String(), accent.On(dark, colour.Parse(darkText)).String()
}

// inksOn returns the colours of words and links on a ground. own is the colour that the author has chosen, or "".
func inksOn(ground colour.Colour, own, usual string, accent colour.Colour) (ink, link string) {
	words := ground.TextOn()
	if ink := colour.Parse(cmp.Or(own, usual)); own != "" || colour.Contrast(ink, ground) >= colour.Readable {
		words = ink.On(ground, words)
	}
	return words.String(), accent.On(ground, words).String()
}

// filled returns the attributes of a cell that looks like a button, with corners at its top too, or only at its bottom.
func (d *themedDocument) filled(class string, b *messages.Block, corner int64, top bool) string {
	fill, ink := d.buttonColours(b)
	own, dark := "", ""
	if fill != d.Accent {
		own = "background: " + fill + "; "
	}
	if own += radius(corner, top, true); own != "" {
		own = ".$ { " + own + "}\n"
	}
	if ink != colour.Parse(d.Accent).TextOn().String() {
		own += ".$ a { color: " + ink + "; }\n"
	}
	isOwn := b.Type != messages.BlockCard && b.Ground != ""
	if darkGround := d.darkGround(d.tone.ground); !isOwn && fill != d.Accent && darkGround != ink { // it has the colours of its ground
		_, _, darkFill, _ := d.inks(tone{"", d.tone.ground})
		dark = ".$ { background: " + darkFill + "; }\n.$ a { color: " + darkGround + "; }\n"
	}
	if own != "" {
		class += " " + d.own(own, dark)
	}
	return `class="` + class + `" bgcolor="` + fill + `"`
}

// buttonColours returns the colours of a button or of the words below a video. One that could not be seen on its ground
// changes its colours with it.
func (d *themedDocument) buttonColours(b *messages.Block) (fill, ink string) {
	fill = d.Accent
	switch own := b.Type != messages.BlockCard && b.Ground != ""; {
	case own:
		fill = b.Ground
	case d.tone.ground != "" && colour.Contrast(colour.Parse(d.Accent), colour.Parse(d.tone.ground)) < 2:
		fill, _, _, _ = d.inks(tone{"", d.tone.ground})
		return fill, d.tone.ground
	}
	on := colour.Parse(fill)
	if b.Type == messages.BlockCard || b.Colour == "" {
		return fill, on.TextOn().String()
	}
	return fill, colour.Parse(b.Colour).On(on, on.TextOn()).String()
}
