package mail

import (
	"strings"
	"testing"

	"enlist/internal/colour"
	"enlist/internal/messages"
)

// covers: spec message.preheader
func TestPreheaderSpaceAndWidthsOfColumns(t *testing.T) {
	m := &messages.Message{EmailType: messages.EmailBlocks, Blocks: messages.EncodeBlocks([]messages.Block{{Type: messages.BlockText, Text: "Shown."},
		{Type: messages.BlockSpace}, {Type: messages.BlockSpace, Height: 40}, {Type: messages.BlockColumns, Shares: []int64{67, 33}, Left: []messages.Block{{Type: messages.BlockImage, URL: "https://example.com/a.png"}}}, {Type: messages.BlockPreheader, Text: "For {{First Name|<you>}}"}})}
	source, err := sourceHTML(t.Context(), m, urls{})
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(source, "<body>\n")
	if !strings.HasPrefix(body, `<div style="display: none; max-height: 0;`) || !strings.Contains(body, "For {{First Name|&lt;you&gt;}}&#8199;") {
		t.Errorf("the mail begins with %.200s", body)
	}
	for _, space := range []string{`<td class="col" width="67%" valign="top" style="width: 67%">`, `<td class="col" width="33%" valign="top" style="width: 33%">`, `width="361"`, `height="24" style="height: 24px"`, `height="40" style="height: 40px"`} {
		if !strings.Contains(body, space) {
			t.Errorf("the mail has no %s", space)
		}
	}
	var text strings.Builder
	for _, piece := range plainText(source) {
		text.WriteString(piece.before + piece.text + piece.after)
	}
	if got := text.String(); !strings.Contains(got, "Shown.") || strings.Contains(got, "For ") {
		t.Errorf("the text part is %q", got)
	}
}

// covers: decision 165
func TestMailWithoutADecisionHasOnlyBlocksWithoutACondition(t *testing.T) {
	m := &messages.Message{EmailType: messages.EmailBlocks, Blocks: `[{"type":"text","text":"For all"},{"type":"text","text":"For some","show_if":[["id","not",1]]}]`}
	source, err := sourceHTML(t.Context(), m, urls{})
	if err != nil || !strings.Contains(source, "For all") || strings.Contains(source, "For some") {
		t.Errorf("the mail is %s, %v", source, err)
	}
	if source, err = sourceHTML(t.Context(), m.AllShown(), urls{}); err != nil || !strings.Contains(source, "For some") {
		t.Errorf("with all blocks, the mail is %s, %v", source, err)
	}
}

// covers: spec message.blocks, spec message.blockLooks, decision 163
func TestEachTypeOfBlockMakesBothParts(t *testing.T) {
	c, _ := testComposer(t)
	m := blocksMessage(messages.DefaultTheme(),
		messages.Block{Type: messages.BlockImage, File: 7, Alt: "A rose", Caption: "Our <rose>", Corner: 8},
		messages.Block{Type: messages.BlockVideo, File: 7, Alt: "Ann jumps", Link: "https://v.example/", Text: "Watch it"},
		messages.Block{Type: messages.BlockCard, File: 7, Alt: "A vase", Title: "Vase", Text: "Made *here*", Label: "12 €", Button: "Buy", Link: "https://c.example/"},
		messages.Block{Type: messages.BlockCard, URL: "https://d.example/x.png", Alt: "A pot", Title: "Pot", Link: "https://p.example/", Place: "right"},
		messages.Block{Type: messages.BlockMenu, Align: "center", Items: []messages.Item{{Text: "Shop & more", Link: "https://m.example/"}, {Text: "Club", Link: "https://m.example/club"}, {}}},
		messages.Block{Type: messages.BlockSocial, Items: []messages.Item{{Link: "https://www.instagram.com/x"}, {Network: "mastodon", Link: "https://f.example/@x", Text: "Us"}, {Link: "https://www.s.example/"}, {}}},
		messages.Block{Type: messages.BlockTable, Head: true, Rows: [][]string{{"Who", "Price"}, {"Adults <18", "{{First Name}}"}}},
		messages.Block{Type: messages.BlockColumns, Shares: []int64{25, 50, 25}, Left: []messages.Block{{Type: messages.BlockText, Text: "one"}},
			Middle: []messages.Block{{Type: messages.BlockText, Text: "two"}}, Right: []messages.Block{{Type: messages.BlockImage, URL: "https://e.example/x.png", Alt: "three"}}})
	r := send(t, c, testMail(m))
	wantParts(t, "HTML", r.html, `border-radius: 8px`, ">Our &lt;rose&gt;</p>", `tabindex="-1"`, "►\u00a0 Watch it</a>", `alt="A vase"`, ">Vase</a></h3>", ">12 €</p>", ">Buy</a>",
		`width="40%"`, `width="60%"`, ">Shop &amp; more</a>", `/f/icons/instagram-`, `alt="Instagram" width="32"`, `/f/icons/mastodon-`, `alt="Us"`, `alt="s.example"`, `<th scope="col"`, "Adults &lt;18", `width="25%"`, `width="120"`)
	wantParts(t, "text", r.text, "Our <rose>\n", "Ann jumps\n► Watch it <https://v.example/>", "A vase\n\nVase\n\nMade here\n\n12 €\n\nBuy <https://c.example/>", "Pot <https://p.example/>",
		"Shop & more <https://m.example/> Club <https://m.example/club>", "Instagram <https://www.instagram.com/x> Us <https://f.example/@x> s.example", "Who Price\nAdults <18 ", "one", "two", "three")
	if open, closed := strings.Count(r.html, "<table"), strings.Count(r.html, "</table>"); open != closed {
		t.Errorf("%d tables begin and %d end", open, closed)
	}
}

// covers: spec message.blockLooks, decision 163
func TestColoursOfABlockCanBeReadInTheLightAndInTheDark(t *testing.T) {
	d := &themedDocument{Theme: messages.DefaultTheme(), side: cardPadding}
	for _, tone := range []tone{{"", "#146c4f"}, {"#777777", "#888888"}, {"#ffff00", ""}, {"#000000", ""}, {"#eeeeee", "#ffffff"}, {"", "#16181a"}, {"", "#ecf2f0"}, {"#146c4f", "#fff3d6"}} {
		ink, link, darkInk, darkLink := d.inks(tone)
		light, dark := d.Card, darkCard
		if tone.ground != "" {
			light, dark = tone.ground, d.darkGround(tone.ground)
		}
		for _, pair := range [][2]string{{ink, light}, {link, light}, {darkInk, dark}, {darkLink, dark}} {
			if c := colour.Contrast(colour.Parse(pair[0]), colour.Parse(pair[1])); c < colour.Readable-0.3 {
				t.Errorf("the colours %v have %s on %s, a contrast of %.1f", tone, pair[0], pair[1], c)
			}
		}
	}
	c, _ := testComposer(t)
	r := send(t, c, testMail(blocksMessage(messages.DefaultTheme(),
		messages.Block{Type: messages.BlockHeading, Text: "band", Ground: "#146c4f", Padding: 40},
		messages.Block{Type: messages.BlockText, Text: "after [x](https://x.example)"},
		messages.Block{Type: messages.BlockColumns, Ground: "#102030", Corner: 12, Left: []messages.Block{{Type: messages.BlockText, Text: "in [y](https://y.example)"}, {Type: messages.BlockButton, Text: "own", Ground: "#ffe000", Corner: 20}}},
		messages.Block{Type: messages.BlockText, Text: "red", Colour: "#c00000"}, messages.Block{Type: messages.BlockLine, Colour: "#c00000"})))
	wantParts(t, "HTML", r.html, `<td bgcolor="#146c4f" class="own1" style="background: #146c4f; padding: 40px 0 40px;">`, `border-radius: 12px`, `<td class="box" style="padding: 0 24px 16px;">`,
		`bgcolor="#ffe000"`, "border-radius: 20px", "border-color: #c00000", `font-size: 28px; margin: 12px 0; color: #ffffff; margin-top: 0; margin-bottom: 0;`, "border-top: 1px solid")
	lacks(t, "a style sheet", r.html, ".own1 h2", "$", "important; padding")
}

// covers: spec message.blockLooks, decision 163
func TestALightGroundIsDarkInTheDark(t *testing.T) {
	d := &themedDocument{Theme: messages.DefaultTheme(), side: cardPadding}
	for ground, want := range map[string]string{"#ffffff": "#303336", "#ecf2f0": "#2e3234", "#fff3d6": "#303232", "#146c4f": "#146c4f", "#ffe000": "#ffe000", "#16181a": "#16181a"} {
		if got := d.darkGround(ground); got != want {
			t.Errorf("the ground %s is %s in the dark, want %s", ground, got, want)
		}
	}
	c, _ := testComposer(t)
	r := send(t, c, testMail(blocksMessage(messages.DefaultTheme(),
		messages.Block{Type: messages.BlockColumns, Ground: "#ecf2f0", Left: []messages.Block{{Type: messages.BlockText, Text: "soft"},
			{Type: messages.BlockSocial, Items: []messages.Item{{Link: "https://www.instagram.com/x"}}}}},
		messages.Block{Type: messages.BlockText, Text: "strong", Ground: "#146c4f", Padding: 8})))
	_, dark, _ := strings.Cut(r.html, "prefers-color-scheme: dark")
	wantParts(t, "the rules for the dark", dark, `{ background: #2e3234 !important; }`, `/f/icons/instagram-`)
	lacks(t, "the mail", r.html, `instagram-22252a`, "padding: 8px 0 0")
	wantParts(t, "the mail", r.html, `padding: 8px 0 8px;`)
}

func TestAShortTableBreaksNoWordOnAPhone(t *testing.T) {
	for _, c := range []struct {
		rows [][]string
		want bool
	}{{[][]string{{"Area", "Until 30 June", "From"}, {"Riverside", "Wednesday", "Wednesday"}}, true}, {[][]string{{"https://example.com/a/long/path", "x", "y"}}, false},
		{[][]string{{"Montag", "Dienstag", "Mittwoch", "Donnerstag"}}, false}} {
		if got := fitsPhone(c.rows); got != c.want {
			t.Errorf("a phone shows %q in whole words: %t, want %t", c.rows, got, c.want)
		}
	}
}
