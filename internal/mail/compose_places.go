package mail

import (
	"cmp"
	"context"

	"enlist/internal/colour"
	"enlist/internal/messages"
)

// This file finds what is probably wrong with the parts of a Message, each at its block, while a user writes it.

// Places returns what Check finds about parts of a Message, with their blocks, and the links to pages of the web. The
// blocks must have no conditions any more. It implements messages.Composer.
func (c *composer) Places(ctx context.Context, m *messages.Message) (found []messages.Finding, links []messages.PlacedLink,
	err error) {
	take := func(path string, k *contentCheck) {
		for _, f := range k.found {
			f.Block = path
			found = append(found, f)
		}
		for _, url := range k.urls {
			links = append(links, messages.PlacedLink{Block: path, URL: url})
		}
	}
	if m.EmailType != messages.EmailBlocks {
		source, err := sourceHTML(ctx, m, c.templates.urls)
		if err != nil {
			return nil, nil, ctx.Err() // Check says what is wrong
		}
		k := &contentCheck{composer: c, OutgoingMail: &messages.OutgoingMail{Message: m}}
		k.links(m, source)
		k.examples(m)
		take("", k)
		return found, links, nil
	}
	all, err := messages.DecodeBlocks(m.Blocks)
	if err != nil {
		return nil, nil, err
	}
	d := &themedDocument{Theme: messages.DecodeTheme(m.Theme), urls: c.templates.urls, side: cardPadding, effort: effort{ctx: ctx}}
	messages.EachPlace(all, "", func(path string, b *messages.Block) {
		if b.Type == messages.BlockColumns {
			return
		}
		part := *m
		part.Blocks = messages.EncodeBlocks([]messages.Block{*b})
		k := &contentCheck{composer: c, OutgoingMail: &messages.OutgoingMail{Message: &part}}
		k.links(&part, completeFileLinks(d.block(b, d.room()), c.templates.urls))
		k.examples(&part)
		k.contrast(b, &d.Theme)
		take(path, k)
	})
	return append(found, contrastOf(&d.Theme)...), links, ctx.Err()
}

// contrastOf is the Finding for a theme whose text is hard to read.
func contrastOf(t *messages.Theme) (all []messages.Finding) {
	if colour.Contrast(colour.Parse(t.Text), colour.Parse(t.Card)) < colour.Readable {
		all = append(all, messages.Finding{Level: messages.FindingWarning, Code: FindingContrast,
			Text: "the text of the design is hard to read on its card: choose colours with more contrast"})
	}
	return all
}

// contrast checks the colour of a text that its author has chosen. Other colours follow the ground.
func (k *contentCheck) contrast(b *messages.Block, t *messages.Theme) {
	ground := colour.Parse(cmp.Or(b.Ground, t.Card))
	if b.Colour == "" || b.Type == messages.BlockButton || b.Type == messages.BlockVideo || colour.Contrast(colour.Parse(b.Colour), ground) >= colour.Readable {
		return
	}
	k.add(messages.FindingWarning, FindingContrast, "the colour %s is hard to read on its background: choose one with more contrast", b.Colour)
}

// FindingContrast is the code of colours that are hard to read.
const FindingContrast messages.FindingCode = "low_contrast"
