// Package starters has the starting templates: Messages of blocks that can be sent after their words are replaced. The words
// are texts of the catalogues, in a table for each template, so a Message is in the language of the user who makes it.
// The colours are those of the Account's theme. The pages of the gallery are in package messages of admin.
//
//	starters.go   what a template is, and what all have
//	letters.go, pictures.go   the templates
//	example.go    which words of a Message are still those of a template
package starters

import (
	"enlist/internal/colour"
	"enlist/internal/language"
	"enlist/internal/messages"
	"enlist/internal/samples"
)

// Starter is a template.
type Starter struct {
	Name  string // in forms and paths
	Title string // key of its name in words
	About string // key of what it is for
	make  func(*draft)
}

// All returns the templates in the order of the gallery.
func All() []Starter {
	return []Starter{
		{"club", "start_club.name", "start_club.about", club},
		{"shop", "start_shop.name", "start_shop.about", shop},
		{"event", "start_event.name", "start_event.about", event},
		{"digest", "start_digest.name", "start_digest.about", digest},
		{"welcome", "start_welcome.name", "start_welcome.about", welcome},
		{"service", "start_service.name", "start_service.about", service},
		{"appeal", "start_appeal.name", "start_appeal.about", appeal},
		{"letter", "start_letter.name", "start_letter.about", letter},
		{"tracking", "start_tracking.name", "start_tracking.about", tracking},
	}
}

// Called returns the template with a name, or nil.
func Called(name string) *Starter {
	for _, s := range All() {
		if s.Name == name {
			return &s
		}
	}
	return nil
}

// Message returns the subject and the blocks of a template in a language, in the colours of a theme.
func (s *Starter) Message(l *language.Language, theme messages.Theme) (subject string, blocks []messages.Block) {
	d := newDraft(l, theme)
	s.make(d)
	return d.subject, d.blocks
}

// draft is a template that is being made.
type draft struct {
	*language.Language
	subject string
	blocks  []messages.Block

	accent, soft, second string // colours: of buttons, of a calm ground, and of what is less important
}

func newDraft(l *language.Language, theme messages.Theme) *draft {
	card, text, accent := colour.Parse(theme.Card), colour.Parse(theme.Text), colour.Parse(theme.Accent)
	return &draft{Language: l, accent: theme.Accent, soft: card.Mix(accent, 0.08).String(), second: text.Mix(card, 0.35).String()}
}

// begin sets the subject and what inboxes show beside it.
func (d *draft) begin(subject, preheader string) {
	d.subject = subject
	d.add(messages.Block{Type: messages.BlockPreheader, Text: preheader})
}

func (d *draft) add(all ...messages.Block) { d.blocks = append(d.blocks, all...) }

// first returns the merge field for the first name, with a word for those without one.
func (d *draft) first() string { return "{{First Name|" + d.Text("start.friend") + "}}" }

// Example begins all links of templates. The check of a Message finds it.
const Example = "https://example.com/"

func heading(level int64, text string) messages.Block {
	return messages.Block{Type: messages.BlockHeading, Level: level, Text: text}
}

func words(text string) messages.Block { return messages.Block{Type: messages.BlockText, Text: text} }

func button(text, link string) messages.Block {
	return messages.Block{Type: messages.BlockButton, Text: text, Link: link}
}

func space(height int64) messages.Block {
	return messages.Block{Type: messages.BlockSpace, Height: height}
}

// picture returns a picture of package samples. alt is the text in its place.
func picture(name, alt string) messages.Block {
	return messages.Block{Type: messages.BlockImage, URL: samples.Path(name), Alt: alt, Corner: 6}
}

// columns returns two or three columns. shares are their widths in percent.
func columns(shares []int64, all ...[]messages.Block) messages.Block {
	b := messages.Block{Type: messages.BlockColumns, Shares: shares, Left: all[0], Right: all[len(all)-1]}
	if len(all) == 3 {
		b.Middle = all[1]
	}
	return b
}

func centred(b messages.Block) messages.Block {
	b.Align = "center"
	return b
}

// on returns a block on a ground.
func on(ground string, b messages.Block) messages.Block {
	b.Ground = ground
	return b
}

// small returns a line above a heading, such as the name of an issue.
func (d *draft) small(text string) messages.Block {
	b := words(text)
	b.Colour = d.second
	return b
}

func line() messages.Block { return messages.Block{Type: messages.BlockLine} }
