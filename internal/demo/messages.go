package demo

import (
	"embed"
	"path"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the Messages that the club sends, and to whom. Their contents are files of the folder letters: blocks in
// JSON, Markdown or HTML.

// send is a Message and its Batch.
type send struct {
	name, subject string
	letter        string // file of the content
	links         []link
	list          int              // index of the List
	to            *enlist.Criteria // nil: the whole List
	daysAgo, hour int
	interest      float64 // how many open it, compared with other sends
	second        string  // subject of a second variant; "": no variants
	complains     bool    // complaints pause the Batch after some mails
	later         int     // days from now of a Batch that waits for its time; 0: it is sent
	by            string  // address of the user who adds the Batch; "": the key

	ids    []enlist.LinkID
	slices int
}

// link is a link of a Message that people click.
type link struct {
	url    string
	weight int // of 100 clicks
}

// site is the website of the club. Its domain is reserved for examples.
const site = "https://gardenclub.example/"

var usual = []link{{site + "news/", 46}, {site + "calendar/", 24}, {site + "shop/", 17}, {site + "join/", 7}, {site + "photos/", 6}}

// newSends returns the Batches. The timeline has them in the order of their times.
func newSends() []*send { return append(newsletters(), otherSends()...) }

// newsletters returns the Batches to all or many readers of the Garden News.
func newsletters() []*send {
	vegetables, inVictoria := is("Interests", "contains", "Vegetables"), is("State", "exactly", "VIC")
	return []*send{
		{name: "Winter newsletter", subject: "Pruning, planning and a pot of soup", letter: "winter.json", list: news,
			links: usual, daysAgo: 97, hour: 9, interest: 1},
		{name: "Spring vegetables", subject: "Your vegetable bed in spring", second: "Tomatoes before Cup Day?",
			letter: "vegetables.json", list: news, to: vegetables, links: usual, daysAgo: 54, hour: 7, interest: 1.15},
		{name: "Spring newsletter", subject: "Twelve gardens, one weekend", letter: "spring.json", list: news,
			links: usual, daysAgo: 26, hour: 9, interest: 1.1},
		{name: "Seed swap in Melbourne", subject: "Bring seeds, take seeds", letter: "swap.json", list: news,
			to: &enlist.Criteria{All: []enlist.Criteria{*inVictoria, *vegetables}}, daysAgo: 6, hour: 17, interest: 1.2,
			links: []link{{site + "swap/", 66}, {site + "map/", 34}}},
		{name: "Summer newsletter", subject: "WATER NOW!!! Your garden is dying", letter: "summer.json", list: news,
			links: usual, daysAgo: 1, hour: 9, interest: 0.8, complains: true},
		{name: "Lantern evening", subject: "{{First Name|Friend}}, bring a lantern", letter: "lanterns.json", list: news,
			to: inVictoria, later: 3, by: nina},
	}
}

// otherSends returns the Batches to the other Lists.
func otherSends() []*send {
	return []*send{
		{name: "Open gardens: invitation to the press", subject: "Twelve gardens open their gates on 18 October",
			letter: "press.md", list: press, daysAgo: 83, hour: 10, interest: 1.5,
			links: []link{{site + "press/", 70}, {site + "press/visit/", 30}}},
		{name: "Bulbs at a fifth less", subject: "Tulips, daffodils and hyacinths: 20 % less until Sunday",
			letter: "bulbs.json", list: shop, daysAgo: 75, hour: 8, interest: 0.9,
			links: []link{{site + "shop/bulbs/", 48}, {site + "shop/tulips/", 27}, {site + "calendar/bulbs/", 15},
				{site + "shop/gift/", 10}}},
		{name: "Planting day roster", subject: "Who digs, who plants, who bakes?", letter: "roster.json",
			list: volunteers, daysAgo: 61, hour: 18, interest: 1.8,
			links: []link{{site + "roster/", 80}, {site + "map/", 20}}},
		{name: "Fern Valley market stall", subject: "See you at the market on Saturday", letter: "market.html",
			list: shop, to: is("State", "exactly", "VIC"), daysAgo: 40, hour: 12, interest: 1,
			links: []link{{site + "market/", 60}, {site + "shop/collect/", 40}}},
		{name: "Christmas in the seed shop", subject: "Presents that grow", letter: "christmas.json", list: shop, later: 4},
	}
}

//go:embed letters
var letters embed.FS

// content returns the content of a letter, as callers of addMessage send it. Blocks for the Garden News end with the
// saved block.
func (b *builder) content(name string, ofNews bool) []enlist.Detail {
	text := b.letter(name)
	switch path.Ext(name) {
	case ".md":
		return details("email_type", messages.EmailMarkdown, "text_content", text)
	case ".html":
		return details("html_content", text)
	}
	if ofNews {
		text = strings.TrimSuffix(text, "]\n") + "," + strings.TrimPrefix(b.letter(foot), "[")
	}
	return details("email_type", messages.EmailBlocks, "blocks", text)
}

// foot is the letter with the blocks below each newsletter.
const foot = "foot.json"

// letter returns a file of letters. It has the IDs of pictures in place of their names.
func (b *builder) letter(name string) string {
	text, err := letters.ReadFile("letters/" + name)
	if err != nil {
		panic(err) // the program has it
	}
	return b.pictures.Replace(string(text))
}
