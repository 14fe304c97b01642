package admin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/starters"

	"github.com/chromedp/cdproto/cdp"
	cdpinput "github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// This file writes a Message in Chromium, with the editor's script.

// covers: decision 159
func TestEditorInChromium(t *testing.T) {
	b := newChromium(t, newWriting)
	b.Must(chromedp.Do(b.ctx, chromedp.EmulateViewport(1280, 1400)))
	v := b.writer()
	b.typesAndSaves(v)
	b.worksByKeys(v)
	b.pastes(v)
	b.drags(v)
	b.takesPictures(v)
	b.writesWithoutMouse()
	b.hasPreviewText(v)
	b.keepsUnchangedTexts(v)
	b.backKeepsTheMail(v)
	b.followsTyping(v)
	b.checksMarkdown(v)
	b.choosesEmoji(v)
	b.clicks(v)
	b.marksRefusedBlocks(v)
	b.hasEachType(v)
	b.savesBlocks(v)
	b.changesColumns(v)
	b.readsWhatItWrites()
	b.looksLikeTheMail(v)
}

// open opens the editor of a new Message.
func (b *chromium) open(v *visitor, start string) string {
	b.Helper()
	at := v.begun(start)
	b.visit(at)
	b.waitFor(`!!document.getElementById("canvas").canvas`)
	return at
}

// keys presses keys. A key whose event the page has prevented types nothing, as in a window.
func (b *chromium) keys(text string, modifiers ...chromedp.Modifier) {
	b.Helper()
	b.Must(chromedp.Do(b.ctx, func(ctx context.Context, t *chromedp.Target) (none chromedp.Void, err error) {
		for _, r := range text {
			events := kb.Encode(r)
			for i, e := range events {
				for _, m := range modifiers {
					e.Modifiers |= int64(m)
				}
				if i == 0 && len(events) == 3 && !slices.Contains(modifiers, chromedp.ModifierCtrl) {
					e.Text = events[1].Text
				}
				if e.Type == kb.KeyChar {
					continue
				}
				if _, err := cdp.Call(ctx, t, cdpinput.DispatchKeyEvent, *e); err != nil {
					return none, err
				}
			}
		}
		return none, nil
	}))
}

// add adds a block of a kind of the menu.
func (b *chromium) add(kind string) {
	b.Helper()
	b.do(`document.querySelector(".canvas-add").click()`)
	b.do(fmt.Sprintf(`document.querySelector(".canvas-menu [data-kind=%s]").click()`, kind))
}

func (b *chromium) do(script string) {
	b.Helper()
	b.Must(chromedp.Do(b.ctx, chromedp.Evaluate[chromedp.Void](script)))
}

// blocks are the blocks that the form would send.
func (b *chromium) blocks() string {
	b.Helper()
	all, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`new FormData(document.getElementById("edit")).get("blocks")`))
	b.Must(err)
	return all
}

func (b *chromium) wantBlocks(about, want string) {
	b.Helper()
	if got := b.blocks(); got != want {
		b.Errorf("%s leaves the blocks\n%s, want\n%s", about, got, want)
	}
}

// save presses Save, and compares what is stored.
func (b *chromium) save(v *visitor, at, want string) {
	b.Helper()
	b.do(`document.querySelector("#edit button.main").click()`)
	b.waitFor(`location.search.includes("done=") && !!document.getElementById("canvas").canvas`)
	if got := v.stored(at); got != want {
		b.Errorf("the stored blocks are\n%s, want\n%s", got, want)
	}
}

const typedBlocks = `[{"type":"heading","text":"Hello {{First Name|friend}}!","level":1},{"type":"text","text":"**bold** and *some* [words](https://example.com)\n\n- one\n- two"},` +
	`{"type":"button","text":"Press","link":"https://example.com/x"},{"type":"quote","text":"said","by":"Ann"}]`

func (b *chromium) typesAndSaves(v *visitor) {
	at := b.open(v, "empty:blocks")
	b.add("heading")
	b.keys("Hello {{First Name|friend}}!" + kb.Enter + "**bold** and *some* [words](https://example.com)" + kb.Enter + "- one" + kb.Enter + "two")
	b.add("button")
	b.keys("Press")
	b.Must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS(`.canvas-panel input`), "example.com/x"+kb.Tab)))
	b.add("quote")
	b.keys("said" + kb.ArrowDown + "Ann")
	b.save(v, at, stored(typedBlocks))
	for range 40 {
		b.keys("z", chromedp.ModifierCtrl)
	}
	b.keys("x")
	b.do(`document.querySelector(".rows").focus()`)
}

// stored returns blocks as EncodeBlocks writes them.
func stored(text string) string {
	all, err := messages.DecodeBlocks(text)
	if err != nil {
		panic(err)
	}
	return messages.EncodeBlocks(all)
}

// worksByKeys uses no mouse: it adds, moves, copies and deletes blocks, formats words, and takes all of it back.
func (b *chromium) worksByKeys(v *visitor) {
	b.open(v, "empty:blocks")
	b.do(`document.querySelector("input[name=subject]").focus()`)
	for range 12 { // to the button that adds a block, past the buttons that an empty mail does not need
		b.keys(kb.Tab)
		if is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.activeElement.matches(".canvas-add")`)); err == nil && is {
			break
		}
	}
	b.keys(kb.Enter)
	b.keys(kb.Enter)
	b.keys("first")
	b.keys(kb.Enter, chromedp.ModifierCtrl)
	b.keys("second")
	b.wantBlocks("Ctrl+Enter", `[{"type":"text","text":"first"},{"type":"text","text":"second"}]`)
	b.keys(kb.ArrowUp, chromedp.ModifierAlt, chromedp.ModifierShift)
	b.wantBlocks("Alt+Shift+Up", `[{"type":"text","text":"second"},{"type":"text","text":"first"}]`)
	b.keys(kb.ArrowLeft, chromedp.ModifierCtrl, chromedp.ModifierShift)
	b.keys("b", chromedp.ModifierCtrl)
	b.wantBlocks("Ctrl+B", `[{"type":"text","text":"**second**"},{"type":"text","text":"first"}]`)
	b.keys("k", chromedp.ModifierCtrl)
	b.keys("example.com" + kb.Enter)
	b.wantBlocks("Ctrl+K", `[{"type":"text","text":"[**second**](https://example.com)"},{"type":"text","text":"first"}]`)
	b.keys(kb.Escape)
	b.keys("d", chromedp.ModifierCtrl, chromedp.ModifierShift)
	b.wantBlocks("Ctrl+Shift+D", `[{"type":"text","text":"[**second**](https://example.com)"},{"type":"text","text":"[**second**](https://example.com)"},{"type":"text","text":"first"}]`)
	b.keys(kb.Escape)
	b.keys(kb.Delete)
	b.wantBlocks("Escape and Delete", `[{"type":"text","text":"[**second**](https://example.com)"},{"type":"text","text":"first"}]`)
	b.keys(kb.F10, chromedp.ModifierAlt)
	b.waitFor(`document.activeElement.closest("[role=toolbar]") !== null`)
	b.keys(kb.ArrowRight)
	b.waitFor(`document.activeElement.closest("[role=toolbar]") !== null`)
	for range 20 {
		b.do(`document.querySelector(".canvas-bar button").click()`)
	}
	b.wantBlocks("undo", `[]`)
	for range 20 {
		b.do(`document.querySelectorAll(".canvas-bar button")[1].click()`)
	}
	b.wantBlocks("redo", `[{"type":"text","text":"[**second**](https://example.com)"},{"type":"text","text":"first"}]`)
}

// command presses Ctrl with a key for which Chromium runs a command, as it does in a window.
func (b *chromium) command(key rune, name string) {
	b.Helper()
	b.Must(chromedp.Do(b.ctx, func(ctx context.Context, t *chromedp.Target) (none chromedp.Void, err error) {
		for i, e := range kb.Encode(key) {
			if e.Type == kb.KeyChar {
				continue
			}
			if e.Modifiers |= int64(chromedp.ModifierCtrl); i == 0 {
				e.Commands = []string{name}
			}
			if _, err := cdp.Call(ctx, t, cdpinput.DispatchKeyEvent, *e); err != nil {
				return none, err
			}
		}
		return none, nil
	}))
}

// pastes copies texts as other programs put them on the clipboard, reduced, and pastes them: by keys, through the clipboard.
func (b *chromium) pastes(v *visitor) {
	const text = `[{"type":"text","text":"%s"}]`
	const table = `,{"type":"table","rows":[["Day","Hour"],["Monday","9"]],"head":true}]`
	for _, c := range []struct{ name, html, want string }{
		{"Word", `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!-- p.MsoNormal {margin:0cm} --></style></head><body><!--StartFragment--><p class=MsoTitle>News</p>` +
			`<p class=MsoNormal><b style='mso-bidi-font-weight:normal'>Bold</b><o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><p style='mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>·<span>&nbsp; </span></span><![endif]>one</p>` +
			`<p style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>o</span>in</p><p style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>·</span>two</p><p style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>1.</span>first</p>` +
			`<table class=MsoTableGrid><tr><td><p class=MsoNormal><b>Day<o:p></o:p></b></p></td><td><p><b>Hour</b></p></td></tr><tr><td><p>Monday<br>first</p></td><td><p>9</p></td></tr></table><!--EndFragment--></body></html>`,
			`[{"type":"text","text":"# News\n\n**Bold**\n\n- one\n  - in\n- two\n\n1. first"}` + strings.Replace(table, "Monday", "Monday first", 1)},
		{"Google Docs", `<meta charset='utf-8'><b style="font-weight:normal" id="docs-internal-guid"><p><span style="font-weight:700">Bold</span><span style="font-style:italic"> it</span></p><br />` +
			`<ul><li><p>one</p></li><ul><li><p>in</p></li></ul><li><p>two</p></li></ul><table><colgroup><col/></colgroup><tbody><tr><td><p><span style="font-weight:700">Day</span></p></td><td><p><span style="font-weight:700">Hour</span></p></td></tr><tr><td><p>Monday</p></td><td><p>9</p></td></tr></tbody></table></b>`,
			`[{"type":"text","text":"**Bold** *it*\n\n- one\n  - in\n- two"}` + table},
		{"Outlook", `<div class="elementToProof" style="font-family: Aptos">Hello <b>bold</b></div><div class="elementToProof"><br></div><div><span style="font-style:italic">it</span> <a href="https://example.com" class="OWAAutoLink">here</a></div><ul><li><div role="presentation">one</div></li></ul>`,
			fmt.Sprintf(text, `Hello **bold**\n\n*it* [here](https://example.com)\n\n- one`)},
		{"Apple Mail", `<html><head><meta name="Generator" content="Cocoa HTML Writer"><style>p.p1 {margin: 0px}</style></head><body><p class="p1">Hello <b>bold</b><span class="Apple-converted-space">&nbsp; </span>words</p><p class="p2"><br></p><ul class="ul1"><li class="li1">one</li></ul>` +
			`<blockquote type="cite"><div>said</div><div><br></div><div>more</div></blockquote></body></html>`, fmt.Sprintf(text, `Hello **bold** words\n\n- one\n\n> said\n>\n> more`)},
		{"LibreOffice", `<html><head><meta name="generator" content="LibreOffice 7.4"/><style>p { margin-bottom: 0.25cm }</style></head><body lang="de-DE"><h1 class="western">News</h1><p style="margin-bottom: 0cm"><b>Bold</b> <font color="#c9211e"><span style="font-weight: bold">red</span></font></p>` +
			`<p><br/><br/></p><ol><li><p>first</p></li></ol></body></html>`, fmt.Sprintf(text, `# News\n\n**Bold** **red**\n\n1. first`)},
		{"a mail", `<div>Hi {{First Name|you}}</div><table><tr><td><font color=red>cell</font></td><td><a href="javascript:alert(1)">bad</a></td></tr></table><img src=https://example.com/x.gif>`,
			fmt.Sprintf(text, `Hi {{First Name|you}}\n\ncell\n\nbad`)},
	} {
		b.open(v, "empty:blocks")
		html, err := json.Marshal(c.html)
		b.Must(err)
		b.do(`document.addEventListener("copy", e => { e.clipboardData.setData("text/html", ` + string(html) + `); e.clipboardData.setData("text/plain", "plain"); e.preventDefault() }, {once: true});
			document.querySelector("[name=subject]").select()`)
		b.command('c', "Copy")
		b.add("words")
		b.command('v', "Paste")
		b.waitFor(`new FormData(document.getElementById("edit")).get("blocks") !== '[{"type":"text"}]'`)
		b.wantBlocks("a text from "+c.name, c.want)
	}
}

// at returns the middle of an element, or the place near its bottom.
func (b *chromium) at(selector string, part float64) (x, y float64) {
	b.Helper()
	place, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]float64](fmt.Sprintf(
		`(r => [r.left + r.width / 2, r.top + r.height * %f])(document.querySelector(%q).getBoundingClientRect())`, part, selector)))
	b.Must(err)
	return place[0], place[1]
}

// drag drags a block by its grip to a place in another element.
func (b *chromium) drag(from, to string, part float64) {
	b.Helper()
	press := func(kind string, x, y float64) {
		events := map[string]chromedp.Action[chromedp.Void]{"move": chromedp.MouseEvent(chromedp.MouseMoved, x, y), "drag": chromedp.MouseEvent(chromedp.MouseMoved, x, y, chromedp.ButtonLeft), "down": chromedp.MouseEvent(chromedp.MousePressed, x, y, chromedp.ButtonLeft),
			"up": chromedp.MouseEvent(chromedp.MouseReleased, x, y, chromedp.ButtonLeft)}
		b.Must(chromedp.Do(b.ctx, events[kind]))
	}
	x, y := b.at(from, 0.5)
	press("move", x, y)
	press("move", x+2, y+2)
	x, y = b.at(".canvas-grip", 0.5)
	press("move", x, y)
	press("down", x, y)
	x, y = b.at(to, part)
	press("drag", x, y-20)
	press("drag", x, y)
	press("up", x, y)
}

func (b *chromium) drags(v *visitor) {
	at := v.begun("empty:blocks")
	v.post(at, blockForm("blocks", `[{"type":"heading","text":"News"},{"type":"text","text":"Hello"},{"type":"image"},{"type":"heading","text":"First","level":2},{"type":"text","text":"a"},{"type":"button","text":"Read","link":"https://example.com"},`+
		`{"type":"columns","left":[{"type":"heading","text":"Second","level":3},{"type":"text","text":"b"}],"right":[{"type":"heading","text":"Third","level":3},{"type":"text","text":"c"}]},{"type":"line"},{"type":"text","text":"end"}]`))
	b.visit(at)
	b.waitFor(`!!document.getElementById("canvas").canvas`)
	b.drag(".rows > [data-block=heading]", ".rows > [data-block=button]", 0.9)
	b.drag(".rows > [data-block=button]", ".col + .col", 0.95)
	all, err := messages.DecodeBlocks(b.blocks())
	b.Must(err)
	var order []string
	for i := range all {
		order = append(order, string(all[i].Type))
		for _, in := range all[i].Right {
			order = append(order, "> "+string(in.Type))
		}
	}
	want := []string{"text", "image", "heading", "text", "heading", "columns", "> heading", "> text", "> button", "line", "text"}
	if !slices.Equal(order, want) {
		b.Errorf("dragged blocks are in the order %q, want %q", order, want)
	}
}

// takesPictures pastes a picture of 3,000 pixels, and then a file that is none.
func (b *chromium) takesPictures(v *visitor) {
	b.open(v, "empty:blocks")
	b.add("words")
	b.keys("before")
	b.do(`{ const c = document.createElement("canvas"); c.width = 3000; c.height = 30; c.getContext("2d").fillRect(0, 0, 99, 9);
		window.paste = files => { const d = new DataTransfer(); files.forEach(f => d.items.add(f));
			document.querySelector(".rows").dispatchEvent(new ClipboardEvent("paste", {clipboardData: d, bubbles: true, cancelable: true})) };
		c.toBlob(b => paste([new File([b], "wide.png", {type: "image/png"})]), "image/png") }`)
	b.waitFor(`document.querySelector(".rows img")?.naturalWidth === 1104 && document.querySelector(".canvas-live").innerText === "Uploaded: wide.png"`)
	files, err := b.App.Files.SearchFiles(b.Context(), b.Caller, enlist.Query{})
	b.Must(err)
	b.waitFor(`/KB · With images: /.test(document.querySelector("#size").innerText)`)
	b.wantBlocks("a picture", fmt.Sprintf(`[{"type":"text","text":"before"},{"type":"image","file":%d,"width":2000}]`, files[0].ID))
	b.do(`paste([new File(["nonsense"], "broken.png", {type: "image/png"})])`)
	b.waitFor(`document.querySelector(".canvas-live").innerText.startsWith("broken.png: ")`)
}

func (b *chromium) hasPreviewText(v *visitor) {
	at := b.open(v, "empty:blocks")
	b.do(`document.addEventListener("mail:shown", () => window.shownAnew = true)`)
	b.add("line")
	b.add("space")
	b.Must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS(`.canvas-panel input`), kb.Backspace+"40")))
	b.Must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS(`.canvas-inbox input[maxlength="200"]`), "For {{First Name|you}}")))
	b.waitFor(`document.querySelector(".canvas-phone").innerText.endsWith("New Message\nFor you") && [...document.querySelectorAll(".canvas-count > small:first-child")].at(-1).innerText === "Characters: 7"`)
	b.waitFor(`window.shownAnew && document.querySelector("[data-saved]").innerText.startsWith("Saved")`)
	b.save(v, at, `[{"type":"preheader","text":"For {{First Name|you}}"},{"type":"line"},{"type":"space","height":40}]`)
	b.waitFor(`document.querySelector(".canvas-inbox input[maxlength=\"200\"]").value === "For {{First Name|you}}" && document.querySelector(".space svg").getBoundingClientRect().height === 40`)
}

// hasEachType types into a card, a table and a video, fills the links of a menu and social links by the panel, changes the
// columns, and gives a text a ground. What the form sends is what the mail is made of.
func (b *chromium) hasEachType(v *visitor) {
	at := b.open(v, "empty:blocks")
	b.add("card")
	b.keys("Vase" + kb.Enter + "Made here" + kb.ArrowDown + "12" + kb.Enter + "Buy")
	b.Must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS(`.canvas-panel input[inputmode=url]`), "example.com/c")))
	b.do(`document.querySelector(".rows").focus()`)
	b.add("table")
	b.keys("Who" + kb.Tab + "Price" + kb.Enter + "5" + kb.Tab + "Children" + kb.Tab + "3" + kb.Tab + "new")
	b.do(`document.querySelector("[data-do='column-1']").click()`)
	b.add("video")
	b.keys("Watch")
	b.add("menu")
	b.do(`document.querySelectorAll(".canvas-item button")[2].click()`)
	b.Must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS(`.canvas-item input[inputmode=url]`), "example.com/m"+kb.Tab)))
	b.add("social")
	b.Must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS(`.canvas-item input[inputmode=url]`), "www.instagram.com/x"+kb.Tab)))
	b.waitFor(`document.querySelector(".canvas-item select").value === "instagram" && document.querySelector(".social svg").ariaLabel === "Instagram"`)
	b.add("columns3")
	b.keys("left")
	b.keys(kb.Escape)
	b.keys(kb.Escape)
	b.do(`{ const s = [...document.querySelectorAll(".canvas-panel select")].at(-1); s.value = "67,33"; s.dispatchEvent(new Event("change")) }`)
	b.do(`{ const i = document.querySelectorAll(".canvas-panel input[type=color]")[1]; i.value = "#146c4f"; i.dispatchEvent(new Event("input")) }`)
	b.waitFor(`getComputedStyle(document.querySelector(".columns .text")).color === "rgb(255, 255, 255)"`)
	b.save(v, at, `[{"type":"card","title":"Vase","text":"Made here","label":"12","button":"Buy","link":"https://example.com/c"},{"type":"table","rows":[["Price"],["5"],["3"],[""]],"head":true},`+
		`{"type":"video","text":"Watch"},{"type":"menu","items":[{"text":"Link 1","link":"https://example.com/m"},{"text":"Link 2","link":""}],"align":"center"},`+
		`{"type":"social","items":[{"link":"https://www.instagram.com/x"}],"align":"center"},{"type":"columns","left":[{"type":"text","text":"left"}],"right":[{"type":"text"},{"type":"text"}],"shares":[67,33],"ground":"#146c4f"}]`)
	for range 80 {
		b.keys("z", chromedp.ModifierCtrl)
	}
}

// savesBlocks saves a block, and inserts it into another Message.
func (b *chromium) savesBlocks(v *visitor) {
	b.open(v, "empty:blocks")
	x, y := b.at(".rows", 0.5) // a click into an empty mail begins a text
	b.Must(chromedp.Do(b.ctx, chromedp.MouseClickXY(x, y)))
	b.keys("**Kept** text")
	b.do(`{ const d = [...document.querySelectorAll(".canvas-more")].at(-1); d.open = true; d.querySelector("input").focus() }`)
	b.keys("My foot" + kb.Enter)
	b.waitFor(`document.querySelector(".canvas-live").innerText === "Saved as My foot. You will find it in the menu of blocks."`)
	b.open(v, "empty:blocks")
	b.add("saved")
	b.waitFor(`document.querySelector(".rows").innerText.includes("Kept text")`)
	b.wantBlocks("a saved block", `[{"type":"text","text":"**Kept** text"}]`)
	for range 9 {
		b.keys("z", chromedp.ModifierCtrl)
	}
	b.wantBlocks("undo", `[]`)
}

// changesColumns changes the number of columns: who sees a block stays the same.
func (b *chromium) changesColumns(v *visitor) {
	const ann, bob = `[["Email","contains","ann"]]`, `[["Email","contains","bob"]]`
	at := v.begun("empty:blocks")
	change := func(blocks, shares, want, says string) {
		b.Helper()
		v.post(at, blockForm("blocks", blocks))
		b.visit(at)
		b.waitFor(`!!document.getElementById("canvas").canvas`)
		b.do(`document.querySelector(".rows .columns").dispatchEvent(new MouseEvent("mousedown", {bubbles: true}))`)
		b.do(`{ const {view} = document.getElementById("canvas").canvas; view.focus(); view.someProp("handleKeyDown", f => f(view, new KeyboardEvent("keydown", {key: "Escape"}))) }`)
		b.do(`{ const {view} = document.getElementById("canvas").canvas; view.someProp("handleKeyDown", f => f(view, new KeyboardEvent("keydown", {key: "Escape"}))) }`)
		b.do(fmt.Sprintf(`{ const s = [...document.querySelectorAll(".canvas-panel select")].find(s => s.querySelector("[value='50,50']")); s.value = %q; s.dispatchEvent(new Event("change")) }`, shares))
		if got := stored(b.blocks()); got != stored(want) {
			b.Errorf("the widths %s leave\n%s, want\n%s", shares, got, stored(want))
		}
		b.waitFor(fmt.Sprintf(`document.querySelector(".canvas-panel .wrong").innerText.includes(%q)`, says))
	}
	const a, c, d = `{"type":"text","text":"a"}`, `{"type":"text","text":"c"}`, `{"type":"text","text":"d"}`
	change(`[{"type":"columns","left":[`+a+`],"right":[`+c+`],"right_if":`+ann+`}]`, "33,33,33",
		`[{"type":"columns","left":[`+a+`],"middle":[`+c+`],"right":[{"type":"text"}],"shares":[33,33,33],"middle_if":`+ann+`}]`, "")
	const three = `[{"type":"columns","left":[` + a + `],"middle":[` + c + `],"right":[%s],"shares":[33,33,33],"middle_if":` + ann + `,"right_if":` + bob + `}]`
	change(fmt.Sprintf(three, d), "50,50", `[{"type":"columns","left":[`+a+`],"right":[{"type":"text","text":"c","show_if":`+ann+`},`+
		`{"type":"text","text":"d","show_if":`+bob+`}]}]`, "")
	own := fmt.Sprintf(three, `{"type":"text","text":"d","show_if":`+ann+`}`)
	change(own, "50,50", own, "There are still three columns")
}

// keepsUnchangedTexts stores the Markdown of a person as it was typed, beside a block that changes.
func (b *chromium) keepsUnchangedTexts(v *visitor) {
	const texts = `[{"type":"text","text":"* a\n* b\n\nTitle\n=====\n_c_ __d__"},{"type":"text","text":"| a | b |\n|---|---|\n| 1 | 2 |"},{"type":"quote","text":"q <b>x</b>","by":"Ann"},{"type":"line"},{"type":"heading","text":"H"}]`
	at := v.begun("empty:blocks")
	v.post(at, blockForm("blocks", texts))
	b.visit(at)
	b.waitFor(`!!document.getElementById("canvas").canvas`)
	b.do(`{ const {view} = document.getElementById("canvas").canvas; view.dispatch(view.state.tr.insertText("!", view.state.doc.content.size - 1)) }`)
	b.save(v, at, strings.Replace(texts, `"text":"H"`, `"text":"H!","level":1`, 1))
}

func (b *chromium) backKeepsTheMail(v *visitor) {
	b.open(v, "empty:blocks")
	b.add("words")
	b.keys("not saved")
	b.Must(chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS(`nav a[href="/admin/lists"]`))))
	b.waitFor(`document.querySelector("h1").innerText === "Lists"`)
	b.waitFor(`history.back() || true`)
	b.waitFor(`document.querySelector(".rows")?.innerText.includes("not saved")`)
}

func (b *chromium) marksRefusedBlocks(v *visitor) {
	b.open(v, "empty:blocks")
	b.add("button")
	b.keys("Press")
	b.waitFor(`document.querySelector(".rows .needs").dataset.needs === "This button has no link yet" && document.querySelector(".canvas-panel .wrong").innerText === "This button has no link yet"`)
	b.Must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS(`.canvas-panel input`), "javascript:alert(1)")))
	b.waitFor(`!document.querySelector(".rows .needs")`)
	b.do(`document.querySelector("#edit button.main").click()`)
	b.waitFor(`document.querySelector(".rows .refused")?.innerText === "Press" && document.querySelector(".canvas-panel .wrong").innerText.includes("javascript:")`)
}

// checksMarkdown types into a Message without blocks: the mail, the checks and the lengths follow.
func (b *chromium) checksMarkdown(v *visitor) {
	at := v.begun("empty:" + messages.EmailMarkdown)
	b.visit(at)
	b.waitFor(`document.querySelectorAll(".canvas-count").length === 2`)
	b.do(`document.addEventListener("mail:shown", () => window.shownAnew = true); document.querySelector("[name=content]").focus()`)
	b.keys("Dear {{Nick}}")
	b.waitFor(`window.shownAnew && document.querySelector("#checks").innerText.includes("Nick") && /KB/.test(document.querySelector("#size").innerText)`)
	b.do(`document.querySelector("[name=from_name]").focus()`)
	b.keys("Our Club")
	b.waitFor(`document.querySelector(".canvas-phone b").innerText === "Our Club" && document.querySelectorAll(".canvas-count small")[1].innerText === "Characters: 8"`)
}

// clicks writes with the mouse what newcomers look for: a link from the toolbar, a block by "/", the fallback of a merge field,
// and a block dragged into an empty column.
func (b *chromium) clicks(v *visitor) {
	b.AddList("name", "Readers")
	at := v.begun("empty:blocks")
	v.post(at, blockForm("blocks", `[{"type":"text","text":"Read more"},{"type":"heading","text":"News"},{"type":"columns","left":[{"type":"text"}],"right":[{"type":"text"}]}]`))
	b.visit(at)
	b.waitFor(`!!document.getElementById("canvas").canvas`)
	click := func(selector string) {
		b.Helper()
		x, y := b.at(selector, 0.5)
		b.Must(chromedp.Do(b.ctx, chromedp.MouseClickXY(x, y)))
	}
	b.do(`{ const p = document.querySelector(".rows p").firstChild; document.querySelector(".rows").focus(); getSelection().setBaseAndExtent(p, 5, p, 9) }`)
	b.waitFor(`document.querySelector(".canvas-panel h2")?.innerText === "Text"`)
	click(`.canvas-bar button[title="Link"]`)
	b.waitFor(`document.activeElement.closest(".canvas-ask") !== null`)
	b.keys("example.com" + kb.Enter)
	b.waitFor(`document.activeElement === document.querySelector(".rows")`)
	click(`.rows a`)
	b.waitFor(`document.querySelector(".canvas-ask.look input")?.value === "https://example.com"`)
	b.keys(kb.End + "x")
	b.waitFor(`!document.querySelector(".canvas-ask")`)
	b.keys(kb.Enter + "/")
	b.waitFor(`document.activeElement.closest(".canvas-menu") !== null`)
	b.keys("b")
	b.keys(kb.Enter)
	b.keys("Press")
	b.keys(kb.Enter + "Hi ")
	b.do(`{ const s = [...document.querySelectorAll(".canvas-bar select")].at(-1); s.value = "Email"; s.dispatchEvent(new Event("change")) }`)
	b.waitFor(`document.activeElement.closest(".canvas-panel") !== null`)
	b.keys("you" + kb.Enter + ",")
	b.wantBlocks("writing", `[{"type":"text","text":"Read [more](https://example.com)x"},{"type":"button","text":"Press"},{"type":"text","text":"Hi {{Email|you}},"},`+
		`{"type":"heading","text":"News","level":1},{"type":"columns","left":[{"type":"text"}],"right":[{"type":"text"}]}]`)
	b.drag(".rows > [data-block=heading]", ".col + .col", 0.9)
	b.wantBlocks("a drag into an empty column", `[{"type":"text","text":"Read [more](https://example.com)x"},{"type":"button","text":"Press"},{"type":"text","text":"Hi {{Email|you}},"},`+
		`{"type":"columns","left":[{"type":"text"}],"right":[{"type":"heading","text":"News","level":1}]}]`)
}

// choosesEmoji puts an emoji into the subject, by keys.
func (b *chromium) choosesEmoji(v *visitor) {
	b.open(v, "empty:blocks")
	b.do(`{ const s = document.querySelector("[name=subject]"); s.value = "Hello you"; s.setSelectionRange(5, 5); document.querySelector(".canvas-smile").focus() }`)
	b.keys(kb.Enter)
	b.waitFor(`document.activeElement.closest(".canvas-emoji") !== null`)
	b.keys(kb.ArrowRight)
	b.keys(kb.Enter)
	b.waitFor(`document.querySelector("[name=subject]").value === "Hello😊 you" && document.activeElement.name === "subject" && document.querySelector(".canvas-phone span").innerText === "Hello😊 you"`)
}

// readsWhatItWrites compares the HTML of 1,000 generated texts with that of the Markdown that the editor writes for them.
func (b *chromium) readsWhatItWrites() {
	g := markdownGenerator{rand.New(rand.NewPCG(1, 2))}
	var texts []messages.Block
	for range 1000 {
		texts = append(texts, messages.Block{Type: messages.BlockText, Text: g.document()})
	}
	before := b.contents(texts)
	sent, err := json.Marshal(before)
	b.Must(err)
	written, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]*string](`document.getElementById("canvas").canvas.written(`+string(sent)+`)`))
	b.Must(err)
	again := slices.Clone(texts)
	for i, text := range written {
		if text == nil {
			b.Errorf("the editor has no form for %q", texts[i].Text)
		} else {
			again[i].Text = *text
		}
	}
	wrong := 0
	for i, after := range b.contents(again) {
		if one, two := reading(before[i]), reading(after); one != two && wrong < 3 {
			wrong++
			b.Errorf("%q is written as %q, which reads\n%s\nin place of\n%s", texts[i].Text, again[i].Text, two, one)
		}
	}
}

func (b *chromium) contents(blocks []messages.Block) []string {
	b.Helper()
	var all []string
	for part := range slices.Chunk(blocks, 100) {
		canvas, err := b.App.Messages.Canvas(b.Context(), &messages.Message{Blocks: messages.EncodeBlocks(part)})
		b.Must(err)
		all = append(all, canvas.Contents...)
	}
	return all
}

// reading returns HTML as a reader sees it: each letter with its marks, in the blocks of the text. Space is the same in any
// number, and has no marks.
func reading(source string) string {
	var b strings.Builder
	var marks []string
	pre := 0
	space := false
	block := func(text string) {
		space = false
		b.WriteString("\n" + text + "\n")
	}
	for z := html.NewTokenizer(strings.NewReader(source)); ; {
		kind := z.Next()
		token := z.Token()
		isMark := slices.Contains([]string{"em", "strong", "del", "code", "a"}, token.Data) && pre == 0
		switch {
		case kind == html.ErrorToken:
			return b.String()
		case kind == html.StartTagToken && isMark:
			marks = append(marks, token.String())
		case kind == html.EndTagToken && isMark:
			marks = marks[:len(marks)-1]
		case kind == html.TextToken && pre > 0:
			b.WriteString(token.Data)
		case kind == html.TextToken:
			for _, c := range token.Data {
				if strings.ContainsRune(" \n\t", c) {
					space = !strings.HasSuffix(b.String(), "\n")
					continue
				}
				if space {
					b.WriteByte(' ')
				}
				space = false
				on := slices.Compact(slices.Sorted(slices.Values(marks)))
				if c == '\u00a0' {
					on = nil
				}
				fmt.Fprintf(&b, "%c%v", c, on)
			}
		default:
			if token.Data == "pre" {
				pre += map[html.TokenType]int{html.StartTagToken: 1, html.EndTagToken: -1}[kind]
			}
			block(token.String())
		}
	}
}

// markdownGenerator makes texts as people type them, and worse.
type markdownGenerator struct{ *rand.Rand }

func (g markdownGenerator) pick(all ...string) string { return all[g.IntN(len(all))] }

func (g markdownGenerator) word() string {
	return g.pick("garden", "Ann", "*", "snake_case", "5 * 3", "a_b_", "[x]", "(y)", "<3", "a<b", "&", "&amp;", "R&D", "#", "# no", "1.", "2)", "- no", "+", "~", "`", "\\", "!", "|", "…",
		"“so”", "don't", "é", "漢字", "www.example.com", "https://example.com/a_b?c=1&d=2", "me@example.com", "{{First Name|friend}}", "{{Email}}", "{{a|*b*}}", "x{y}", "=", ":", "1986. x", "😀", "5 &lt; 6")
}

func (g markdownGenerator) words(depth int) string {
	var all []string
	for range 1 + g.IntN(4) {
		n := g.IntN(11)
		switch {
		case n < 6 || depth > 2:
			all = append(all, g.word())
		case n < 8:
			all = append(all, g.pick("*%*", "**%**", "~~%~~"))
			all[len(all)-1] = strings.Replace(all[len(all)-1], "%", g.words(depth+1), 1)
		case n == 8:
			all = append(all, "["+g.words(depth+1)+"]("+g.pick("https://example.com/?a=1&b=2", "{{unsubscribe_url}}", "<https://example.com/a (b>", "mailto:a@example.com", `https://example.com/%20x "A \"title\""`)+")")
		case n == 9:
			all = append(all, "`"+g.word()+"`")
		default:
			all = append(all, g.pick("\\\n", "  \n", "\n")+g.word())
		}
	}
	return strings.Join(all, g.pick(" ", " ", ""))
}

func (g markdownGenerator) block(depth int) string {
	n := g.IntN(10)
	switch {
	case n < 4:
		return g.words(0)
	case n == 4:
		return strings.Repeat("#", 1+g.IntN(6)) + " " + strings.ReplaceAll(g.words(0), "\n", " ")
	case n < 8 && depth < 3:
		mark, between := g.pick("- ", "* ", "1. ", "7. "), g.pick("\n", "\n\n")
		var items []string
		for range 2 + g.IntN(2) {
			item := "word " + g.words(0)
			if g.IntN(3) == 0 && depth < 2 {
				item += between + "- inner " + strings.ReplaceAll(g.words(1), "\n", " ")
			}
			items = append(items, mark+strings.ReplaceAll(item, "\n", "\n   "))
		}
		return strings.Join(items, between)
	case n == 8 && depth < 3:
		return "> " + strings.ReplaceAll(g.block(depth+1), "\n", "\n> ")
	}
	return g.pick("---", "```\n"+g.word()+"\n```", "    code\n    more", "Title\n===")
}

func (g markdownGenerator) document() string {
	var all []string
	for range 1 + g.IntN(4) {
		all = append(all, g.block(0))
	}
	return strings.ReplaceAll(strings.Join(all, "\n\n"), "![", "! [") // an image is edited as Markdown
}

// looksLikeTheMail compares where texts, pictures, lines and buttons are in the editor and in the mail, and their colours with
// what is behind them, at both widths and in the dark: for each type of block and colour, and for the starting templates.
func (b *chromium) looksLikeTheMail(v *visitor) {
	const card = `{"type":"card","url":"/f/samples/mug.png","alt":"Mug","title":"Mug","text":"Words","link":"https://example.com","button":"Buy"`
	at := v.begun("empty:blocks")
	v.post(at, blockForm("blocks", `[{"type":"heading","text":"A heading that is long enough to fill two lines of a mail"},{"type":"text","text":"Some **words**.\n\n- one\n- two\n\n> q\n\n## Sub\n\n---\n\nend"},`+
		`{"type":"button","text":"Press","link":"https://example.com","align":"center"},{"type":"quote","text":"A quote","by":"Ann"},{"type":"line"},{"type":"columns","shares":[33,67],"left":[{"type":"text","text":"left"}],`+
		`"right":[{"type":"heading","text":"right","level":3}]},{"type":"text","text":"[Unsubscribe]({{unsubscribe_url}})","align":"center"},`+
		`{"type":"heading","text":"A band","ground":"#146c4f","padding":30},{"type":"text","text":"after it","align":"right"},{"type":"text","text":"In a [box](https://example.com)","ground":"#fff3d6","corner":10},{"type":"text","text":"red","colour":"#ff8080"},`+
		`{"type":"text","text":"narrow","ground":"#146c4f","padding":8},{"type":"quote","text":"Narrow","ground":"#ecf2f0","padding":4},{"type":"table","rows":[["a","b"]],"ground":"#ecf2f0"},`+
		`{"type":"columns","ground":"#146c4f","left":[{"type":"text","text":"own [words](https://example.com)","colour":"#c00000"},{"type":"button","text":"Lost","link":"https://example.com"}],`+
		`"right":[{"type":"text","text":"padded","colour":"#ffd0d0","padding":10},`+card+`,"ground":"#ffffff"}]},`+
		`{"type":"columns","ground":"#ecf2f0","left":[{"type":"heading","text":"soft","colour":"#146c4f","level":3},`+card+`}],"right":[`+card+`,"ground":"#fff3d6","corner":8},`+card+`,"padding":12,"place":"left"},{"type":"social","items":[{"link":"https://instagram.com/x"}]}]},`+
		card+`,"place":"right"},`+card+`,"place":"left","ground":"#ecf2f0","corner":8},{"type":"image","url":"/f/samples/mug.png","alt":"Mug","width":200,"align":"center"},`+
		`{"type":"table","head":true,"rows":[["Who","Price"],["Adults","5 €"]]},{"type":"columns","ground":"#102030","shares":[25,50,25],"left":[{"type":"text","text":"one"}],"middle":[{"type":"card","title":"Vase","text":"Made *here*","label":"5 €","button":"Buy","link":"https://example.com","ground":"#f4efe6","corner":8}],"right":[{"type":"text","text":"three"}]},`+
		`{"type":"button","text":"Round","link":"https://example.com","ground":"#ffe000","corner":30},{"type":"menu","align":"center","items":[{"text":"One","link":"https://example.com"},{"text":"Two","link":"https://example.com"}]},`+
		`{"type":"card","title":"Article","text":"Words","link":"https://example.com"},{"type":"video","text":"Watch","link":"https://example.com","corner":6},{"type":"social","items":[{"link":"https://instagram.com/x"}]}]`))
	b.looksAlike(at, "", "phone", "dark", "dark phone")
	for _, s := range starters.All() {
		at := v.begun(s.Name)
		v.post(at, blockForm("blocks", strings.ReplaceAll(v.stored(at), "{{First Name|friend}}", "friend"))) // the canvas shows the name, too
		b.looksAlike(at, "", "dark phone")
	}
}

// looksAlike compares the canvas of a Message with its mail, for each look.
func (b *chromium) looksAlike(at string, looks ...string) {
	b.Helper()
	places := func(root string) []string {
		b.Helper()
		b.waitFor(`[...document.querySelectorAll("` + root + ` img")].every(i => i.complete)`)
		all, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`(card => { const clear = "rgba(0, 0, 0, 0)", behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (c !== clear) return c } };
			return [...card.querySelectorAll("h1, h2, h3, p:not(li > p), ul, hr, blockquote, .button a, .text a:not(.title), .grid, td, th, .menu a, .play a, .social a > *, .picture img, .still img")].
			filter(e => !e.closest(".foot") && (!["TD", "TH"].includes(e.nodeName) || e.closest(".grid")) && e.getClientRects().length).map(e => { const r = e.getBoundingClientRect(), b = card.getBoundingClientRect(), s = getComputedStyle(e);
				const isWrapped = e.matches(".text a") && r.height > 30; // the canvas keeps the space at the end of its line
				return [e.nodeName.toUpperCase().replace("SVG", "IMG"), e.matches("hr, img, svg") ? "" : s.fontSize + s.color, behind(e.parentElement), ...[r.left - b.left, r.top - b.top, isWrapped ? 0 : r.width, r.height].map(Math.round), e.textContent.replace(/[\s—►]/g, "").slice(0, 20)] }).sort((a, b) => a[4] - b[4] || a[3] - b[3]).map(a => a.join(" ")) })(document.querySelector("`+root+`"))`))
		b.Must(err)
		return all
	}
	for _, look := range looks {
		b.visit(at)
		b.waitFor(`!!document.getElementById("canvas").canvas && getComputedStyle(document.querySelector(".canvas .text")).paddingLeft === "24px"`)
		b.do(`document.querySelector(".canvas").className += " ` + look + `"; document.activeElement.blur()`)
		width, err := chromedp.Run(b.ctx, chromedp.Evaluate[float64](`document.querySelector(".canvas").getBoundingClientRect().width`))
		b.Must(err)
		canvas := places(".canvas .card")
		b.Must(chromedp.Do(b.ctx, chromedp.EmulateViewport(int64(width), 1400)))
		shade, _, _ := strings.Cut(look, " ")
		b.visit(at + "/mail?shade=" + shade)
		if mail := places(".card"); !slices.Equal(canvas, mail) || len(mail) < 4 {
			b.Errorf("%s with the look %q is different in the mail:\n%s", at, look, cmp.Diff(canvas, mail))
		}
		b.Must(chromedp.Do(b.ctx, chromedp.EmulateViewport(1280, 1400)))
	}
}

// followsTyping types a text with a mistake: the mail below has it without a save, and its block is marked while the cursor
// stays.
func (b *chromium) followsTyping(v *visitor) {
	at := b.open(v, "empty:blocks")
	b.add("words")
	b.do(`window.counted = 0; document.addEventListener("mail:shown", () => window.counted++)`)
	b.keys("Dear reader {{Nick}}")
	b.waitFor(`window.counted > 0 && document.querySelectorAll("iframe.mail.six").length === 1`)
	if stored := v.stored(at); strings.Contains(stored, "Dear") {
		b.Logf("the page has saved meanwhile: %s", stored)
	}
	b.waitFor(`document.querySelector(".rows .noted")?.title.includes("Nick") && document.querySelector("#checks").innerText.includes("Nick")`)
	b.keys("!")
	b.waitFor(`document.querySelector(".rows").innerText.includes("!") && document.querySelector(".canvas-panel .wrong").innerText.includes("Nick")`)
	b.do(`[...document.querySelectorAll(".canvas-panel button[name=do]")].at(-1).click()`)
	b.waitFor(`location.pathname.endsWith("/show/0")`)
	if stored := v.stored(at); !strings.Contains(stored, "Dear reader {{Nick}}") {
		b.Errorf("the way to the conditions has saved %s", stored)
	}
}
