package starters

import (
	"enlist/internal/messages"
	"enlist/internal/samples"
)

// This file has the templates that live from pictures: a shop, an invitation, articles, an appeal.

func shop(d *draft) {
	d.begin(d.Text("start_shop.subject"), d.Text("start_shop.preheader"))
	offer := on(d.accent, centred(words(d.Text("start_shop.offer"))))
	offer.Padding = 8
	product := func(name, alt, title, text, price string) []messages.Block {
		return []messages.Block{{Type: messages.BlockCard, URL: samples.Path(name), Alt: alt, Title: title, Text: text, Label: price,
			Button: d.Text("start_shop.buy"), Link: Example + name, Ground: d.soft, Corner: 8}}
	}
	d.add(offer, space(8),
		picture("table", d.Text("start_shop.picture")),
		centred(heading(1, d.Text("start_shop.title"))),
		centred(words(d.Text("start_shop.hello"))),
		centred(button(d.Text("start_shop.button"), Example+"new")),
		space(8),
		columns(nil,
			product("mug", d.Text("start_shop.mug_picture"), d.Text("start_shop.mug"), d.Text("start_shop.mug_text"), d.Text("start_shop.mug_price")),
			product("bowl", d.Text("start_shop.bowl_picture"), d.Text("start_shop.bowl"), d.Text("start_shop.bowl_text"), d.Text("start_shop.bowl_price"))),
		space(16),
		messages.Block{Type: messages.BlockCard, URL: samples.Path("vase"), Alt: d.Text("start_shop.vase_picture"), Place: "left",
			Title: d.Text("start_shop.vase"), Text: d.Text("start_shop.vase_text"), Label: d.Text("start_shop.vase_price"),
			Button: d.Text("start_shop.buy"), Link: Example + "vase"},
		line(),
		centred(d.small(d.Text("start_shop.service"))))
}

func event(d *draft) {
	d.begin(d.Text("start_event.subject"), d.Text("start_event.preheader"))
	const night = "#22354a" // of the picture
	hero := picture("lanterns", d.Text("start_event.picture"))
	hero.Corner = 0
	title := on(night, centred(heading(1, d.Text("start_event.title"))))
	title.Padding = 12
	d.add(on(night, hero), title,
		centred(words(d.Text("start_event.hello", "first", d.first()))))
	fact := func(head, text string) []messages.Block {
		h := centred(heading(3, head))
		h.Colour = d.accent
		return []messages.Block{h, centred(words(text))}
	}
	d.add(columns([]int64{33, 33, 33},
		fact(d.Text("start_event.when"), d.Text("start_event.when_text")),
		fact(d.Text("start_event.where"), d.Text("start_event.where_text")),
		fact(d.Text("start_event.entry"), d.Text("start_event.entry_text"))),
		centred(button(d.Text("start_event.button"), Example+"reply")),
		line(),
		heading(2, d.Text("start_event.programme")),
		messages.Block{Type: messages.BlockTable, Rows: [][]string{
			{d.Text("start_event.time_1"), d.Text("start_event.what_1")},
			{d.Text("start_event.time_2"), d.Text("start_event.what_2")},
			{d.Text("start_event.time_3"), d.Text("start_event.what_3")}}},
		d.small(d.Text("start_event.practical")))
}

func digest(d *draft) {
	d.begin(d.Text("start_digest.subject"), d.Text("start_digest.preheader"))
	d.add(d.small(d.Text("start_digest.issue")),
		heading(1, d.Text("start_digest.title")),
		words(d.Text("start_digest.hello")),
		line())
	for _, a := range [][4]string{
		{"bridge", d.Text("start_digest.bridge_picture"), d.Text("start_digest.bridge"), d.Text("start_digest.bridge_text")},
		{"garden", d.Text("start_digest.garden_picture"), d.Text("start_digest.garden"), d.Text("start_digest.garden_text")},
		{"book", d.Text("start_digest.book_picture"), d.Text("start_digest.book"), d.Text("start_digest.book_text")},
	} {
		d.add(messages.Block{Type: messages.BlockCard, Place: "left", URL: samples.Path(a[0]), Alt: a[1], Title: a[2], Text: a[3],
			Corner: 0, Link: Example + a[0]})
	}
	more := on(d.soft, words(d.Text("start_digest.more", "open", "[", "close_1", "]("+Example+"one)", "close_2", "]("+Example+"two)",
		"close_3", "]("+Example+"three)")))
	more.Corner = 6
	d.add(line(), heading(3, d.Text("start_digest.also")), more, space(16), words(d.Text("start_digest.bye")))
}

func appeal(d *draft) {
	d.begin(d.Text("start_appeal.subject"), d.Text("start_appeal.preheader"))
	gift := func(sum, text string) []messages.Block {
		h := centred(heading(1, sum))
		h.Colour = d.accent
		return []messages.Block{h, centred(words(text))}
	}
	quote := messages.Block{Type: messages.BlockQuote, Text: d.Text("start_appeal.quote"), By: d.Text("start_appeal.quote_by")}
	give := button(d.Text("start_appeal.button"), Example+"give")
	d.add(picture("sprout", d.Text("start_appeal.picture")),
		heading(1, d.Text("start_appeal.title")),
		words(d.Text("start_appeal.hello", "first", d.first())),
		give, space(8),
		on(d.soft, columns([]int64{33, 33, 33},
			gift(d.Text("start_appeal.sum_1"), d.Text("start_appeal.sum_1_text")),
			gift(d.Text("start_appeal.sum_2"), d.Text("start_appeal.sum_2_text")),
			gift(d.Text("start_appeal.sum_3"), d.Text("start_appeal.sum_3_text")))),
		words(d.Text("start_appeal.story")), quote,
		heading(2, d.Text("start_appeal.ask")),
		words(d.Text("start_appeal.ask_text")), give,
		d.small(d.Text("start_appeal.after")))
}
