package demo

import (
	"fmt"
	"html"
	"strings"

	"enlist/internal/enlist"
)

// This file has the Messages that the club sends, and to whom.

// send is a Message and its Batch.
type send struct {
	name, subject string
	paragraphs    []string
	links         []link
	list          int              // index of the List
	to            *enlist.Criteria // nil: the whole List
	daysAgo, hour int
	interest      float64 // how many open it, compared with other sends
	second        string  // subject of a second variant; "": no variants
	complains     bool    // complaints pause the Batch after some mails
	inBlocks      bool    // the Message consists of blocks
	later         int     // days from now of a Batch that waits for its time; 0: it is sent

	ids    []enlist.LinkID
	slices int
}

// link is a link of a Message.
type link struct {
	text, url string
	weight    int // of 100 clicks
}

// site is the website of the club. Its domain is reserved for examples.
const site = "https://gardenclub.example/"

var usual = []link{{"Read on", site + "news/", 46}, {"This month's jobs", site + "calendar/", 24},
	{"The seed shop", site + "shop/", 17}, {"Become a member", site + "join/", 7}, {"Our photos", site + "photos/", 6}}

// newSends returns the Batches. The timeline has them in the order of their times.
func newSends() []*send { return append(newsletters(), otherSends()...) }

// newsletters returns the Batches to all or many readers of the Garden News.
func newsletters() []*send {
	return []*send{
		{name: "Winter newsletter", subject: "Pruning, planning and a pot of soup", list: news, links: usual,
			daysAgo: 97, hour: 9, interest: 1, paragraphs: []string{
				"Frost on the beds is no reason to stay indoors: prune the roses now, and sow broad beans.",
				"On the calendar you find what else can be done this month."}},
		{name: "Spring vegetables", subject: "Your vegetable bed in spring", second: "Tomatoes before Cup Day?",
			list: news, to: is("Interests", "contains", "Vegetables"), links: usual,
			daysAgo: 54, hour: 7, interest: 1.15, paragraphs: []string{
				"Old gardeners plant their tomatoes on Cup Day. We asked six of them why."}},
		{name: "Spring newsletter", subject: "Twelve gardens, one weekend", list: news, links: usual, inBlocks: true,
			daysAgo: 26, hour: 9, interest: 1.1, paragraphs: []string{
				"The open gardens are back: a water garden, a fern gully, and a balcony with forty pots.",
				"Tickets are free for members."}},
		{name: "Seed swap in Melbourne", subject: "Bring seeds, take seeds", list: news,
			to: &enlist.Criteria{All: []enlist.Criteria{*is("State", "exactly", "VIC"),
				*is("Interests", "contains", "Vegetables")}}, daysAgo: 6, hour: 17, interest: 1.2,
			paragraphs: []string{"Last year 300 packets found a new garden."},
			links:      []link{{"Programme", site + "swap/", 66}, {"Directions", site + "map/", 34}}},
		{name: "Summer newsletter", subject: "WATER NOW!!! Your garden is dying", list: news, links: usual,
			daysAgo: 1, hour: 9, interest: 0.8, complains: true,
			paragraphs: []string{"It will be hot. Water in the evening, and mulch."}},
	}
}

// otherSends returns the Batches to the other Lists.
func otherSends() []*send {
	return []*send{
		{name: "Open gardens: invitation to the press", subject: "Twelve gardens open their gates on 18 October",
			list: press, daysAgo: 83, hour: 10, interest: 1.5,
			paragraphs: []string{"We would be glad to show you round before the visitors come."},
			links:      []link{{"Press kit", site + "press/", 70}, {"Say that you come", site + "press/visit/", 30}}},
		{name: "Bulbs at a fifth less", subject: "Tulips, daffodils and hyacinths: 20 % less until Sunday",
			list: shop, daysAgo: 75, hour: 8, interest: 0.9,
			paragraphs: []string{"The bulbs have come, and they have to go into the ground."},
			links: []link{{"All bulbs", site + "shop/bulbs/", 48}, {"Tulips", site + "shop/tulips/", 27},
				{"Planting by depth", site + "calendar/bulbs/", 15}, {"Gift cards", site + "shop/gift/", 10}}},
		{name: "Planting day roster", subject: "Who digs, who plants, who bakes?", list: volunteers,
			daysAgo: 61, hour: 18, interest: 1.8,
			paragraphs: []string{"Please choose your hours on the roster by Friday."},
			links:      []link{{"The roster", site + "roster/", 80}, {"How to get there", site + "map/", 20}}},
		{name: "Fern Valley market stall", subject: "See you at the market on Saturday", list: shop,
			to: is("State", "exactly", "VIC"), daysAgo: 40, hour: 12, interest: 1,
			paragraphs: []string{"Seedlings, seeds, and advice that costs nothing."},
			links: []link{{"What we bring", site + "market/", 60},
				{"Order and collect", site + "shop/collect/", 40}}},
		{name: "Christmas in the seed shop", subject: "Presents that grow", list: shop, later: 4, interest: 1,
			inBlocks:   true,
			paragraphs: []string{"Gift boxes, tools, and seeds for a whole year."},
			links:      []link{{"Gift boxes", site + "shop/boxes/", 60}, {"Gift cards", site + "shop/gift/", 40}}},
	}
}

// html returns the Message in HTML.
func (s *send) html() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<h1>%s</h1>\n<p>Dear {{First Name|friend}},</p>\n", html.EscapeString(s.subject))
	for _, p := range s.paragraphs {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(p))
	}
	b.WriteString("<ul>\n")
	for _, l := range s.links {
		fmt.Fprintf(&b, "<li><a href=\"%s\">%s</a></li>\n", l.url, html.EscapeString(l.text))
	}
	return b.String() + "</ul>\n<p>Your " + accountName + "</p>\n"
}

// text returns the Message as plain text.
func (s *send) text() string {
	text := "Dear {{First Name|friend}},\n\n" + strings.Join(s.paragraphs, "\n\n") + "\n"
	for _, l := range s.links {
		text += "\n" + l.text + ": " + l.url
	}
	return text + "\n\nYour " + accountName + "\n"
}
