package starters

import "enlist/internal/messages"

// This file has the templates that are mostly words: a club's news, a welcome, an announcement, a letter, a question.

func club(d *draft) {
	d.begin(d.Text("start_club.subject"), d.Text("start_club.preheader"))
	d.add(d.small(d.Text("start_club.issue")),
		picture("river", d.Text("start_club.picture")),
		heading(1, d.Text("start_club.title")),
		words(d.Text("start_club.hello", "first", d.first())),
		button(d.Text("start_club.button"), Example+"walks"),
		line(),
		heading(2, d.Text("start_club.dates")))
	for _, walk := range [][3]string{
		{d.Text("start_club.date_1"), d.Text("start_club.walk_1"), d.Text("start_club.walk_1_text")},
		{d.Text("start_club.date_2"), d.Text("start_club.walk_2"), d.Text("start_club.walk_2_text")},
		{d.Text("start_club.date_3"), d.Text("start_club.walk_3"), d.Text("start_club.walk_3_text")},
	} {
		date := heading(3, walk[0])
		date.Colour = d.accent
		d.add(columns([]int64{30, 70}, []messages.Block{date}, []messages.Block{heading(3, walk[1]), words(walk[2])}))
	}
	quote := on(d.soft, messages.Block{Type: messages.BlockQuote, Text: d.Text("start_club.quote"), By: d.Text("start_club.quote_by")})
	quote.Corner = 6
	d.add(space(8), quote, space(16), words(d.Text("start_club.bye")))
}

func welcome(d *draft) {
	d.begin(d.Text("start_welcome.subject", "first", d.first()), d.Text("start_welcome.preheader"))
	d.add(picture("hello", d.Text("start_welcome.picture")),
		centred(heading(1, d.Text("start_welcome.title"))),
		centred(words(d.Text("start_welcome.hello", "first", d.first()))),
		centred(button(d.Text("start_welcome.button"), Example+"start")),
		space(8))
	step := func(number, title, text string) []messages.Block {
		n := heading(1, number)
		n.Colour = d.accent
		return []messages.Block{n, heading(3, title), words(text)}
	}
	steps := on(d.soft, columns([]int64{33, 33, 33},
		step("1", d.Text("start_welcome.step_1"), d.Text("start_welcome.step_1_text")),
		step("2", d.Text("start_welcome.step_2"), d.Text("start_welcome.step_2_text")),
		step("3", d.Text("start_welcome.step_3"), d.Text("start_welcome.step_3_text"))))
	d.add(steps, words(d.Text("start_welcome.promise")), words(d.Text("start_welcome.bye")))
}

func service(d *draft) {
	d.begin(d.Text("start_service.subject"), d.Text("start_service.preheader"))
	label := on(d.accent, words(d.Text("start_service.label")))
	label.Padding = 10
	d.add(label,
		heading(1, d.Text("start_service.title")),
		words(d.Text("start_service.short")),
		messages.Block{Type: messages.BlockTable, Head: true, Rows: [][]string{
			{d.Text("start_service.area"), d.Text("start_service.until"), d.Text("start_service.from")},
			{d.Text("start_service.area_1"), d.Text("start_service.until_1"), d.Text("start_service.from_1")},
			{d.Text("start_service.area_2"), d.Text("start_service.until_2"), d.Text("start_service.from_2")},
			{d.Text("start_service.area_3"), d.Text("start_service.until_3"), d.Text("start_service.from_3")}}},
		heading(2, d.Text("start_service.todo")),
		words(d.Text("start_service.steps")),
		button(d.Text("start_service.button"), Example+"calendar"),
		on(d.soft, columns([]int64{50, 50},
			[]messages.Block{heading(3, d.Text("start_service.questions")), words(d.Text("start_service.phone"))},
			[]messages.Block{heading(3, d.Text("start_service.office")), words(d.Text("start_service.hours"))})))
}

func letter(d *draft) {
	d.begin(d.Text("start_letter.subject"), d.Text("start_letter.preheader"))
	d.add(space(12),
		words(d.Text("start_letter.hello", "first", d.first())),
		words(d.Text("start_letter.story")),
		words(d.Text("start_letter.ask")),
		words(d.Text("start_letter.bye")),
		d.small(d.Text("start_letter.after")))
}

func tracking(d *draft) {
	d.begin(d.Text("start_tracking.subject"), d.Text("start_tracking.preheader"))
	d.add(heading(1, d.Text("start_tracking.title")),
		words(d.Text("start_tracking.hello", "first", d.first())),
		words(d.Text("start_tracking.why")),
		button(d.Text("start_tracking.yes"), "{{tracking_agree_url}}"),
		words(d.Text("start_tracking.no", "open", "[", "close", "]({{tracking_refuse_url}})")),
		d.small(d.Text("start_tracking.after")))
}
