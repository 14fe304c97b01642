package admin_test

import (
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// This file writes, tests and sends a Message in Chromium by keys only, as a person does who has no mouse.

// focusProblem says what is wrong with the focus: a person who sees must see where the next key goes. The same element without
// the focus looks different, and it is not scrolled away or covered. The text has a cursor, and a frame around its block.
const focusProblem = `(() => {
	const e = document.activeElement, name = e && e.outerHTML.slice(0, 120);
	if (!e || e === document.body || e === document.documentElement) return "nothing has the focus";
	if (e.nodeName === "IFRAME" || e.type === "datetime-local" && !e.matches(":focus")) return ""; // something inside has it
	const {left, right, top, bottom} = e.getBoundingClientRect(), seen = {left: Math.max(left, 0), right: Math.min(right, innerWidth), top: Math.max(top, 0), bottom: Math.min(bottom, innerHeight)};
	for (let p = e.parentElement; p; p = p.parentElement) {
		if (p === document.body || p === document.documentElement || getComputedStyle(p).overflow === "visible") continue;
		const box = p.getBoundingClientRect();
		seen.left = Math.max(seen.left, box.left), seen.right = Math.min(seen.right, box.right), seen.top = Math.max(seen.top, box.top), seen.bottom = Math.min(seen.bottom, box.bottom);
	}
	if (seen.right - seen.left < 1 || seen.bottom - seen.top < 1) return "out of sight: " + name;
	const isHit = [[.5, .5], [.1, .5], [.9, .5], [.5, .1], [.5, .9]].some(([x, y]) => {
		const hit = document.elementFromPoint(seen.left + (seen.right - seen.left) * x, seen.top + (seen.bottom - seen.top) * y);
		return hit && (e.contains(hit) || hit.contains(e));
	});
	if (!isHit) return "covered: " + name;
	if (e.isContentEditable) return e.querySelector(".current, .ProseMirror-selectednode") || getComputedStyle(e).boxShadow !== "none" ? "" : "no block is marked";
	const look = e => (s => [s.outlineStyle === "none" ? "" : s.outline + s.outlineOffset, s.boxShadow, s.backgroundColor].join())(getComputedStyle(e));
	const other = e.cloneNode(e.nodeName === "SELECT");
	other.removeAttribute("name"), other.removeAttribute("id");
	e.after(other);
	const isSame = look(e) === look(other);
	other.remove();
	return isSame ? "looks as without the focus: " + name : "";
})()`

// seesFocus looks at the focus after a step. It comes a moment later if it goes into the frame of a mail.
func (b *chromium) seesFocus(step string) {
	b.Helper()
	var wrong string
	for range 50 {
		var err error
		wrong, err = chromedp.Run(b.ctx, chromedp.Evaluate[string](focusProblem))
		b.Must(err)
		if wrong == "" {
			return
		}
		b.Must(chromedp.Do(b.ctx, chromedp.Evaluate[chromedp.Void](`new Promise(requestAnimationFrame)`, chromedp.EvalAwaitPromise)))
	}
	b.Errorf("after %s: %s", step, wrong)
}

// steps presses a key until the element with the focus is one that is looked for, and looks at each on the way.
func (b *chromium) steps(key, selector string, modifiers ...chromedp.Modifier) {
	b.Helper()
	var at string
	for n := range 120 {
		b.keys(key, modifiers...)
		b.seesFocus(fmt.Sprintf("%d steps to %s", n+1, selector))
		var err error
		at, err = chromedp.Run(b.ctx, chromedp.Evaluate[string](fmt.Sprintf(`document.activeElement.matches(%q) ? "" : document.activeElement.outerHTML.slice(0, 200)`, selector)))
		b.Must(err)
		if at == "" {
			return
		}
	}
	b.Fatalf("no key leads to %s; the last element is %s", selector, at)
}

// lands waits for a page, and passes its menu by the link before it.
func (b *chromium) lands(is string) {
	b.Helper()
	b.waitFor(is + ` && document.readyState === "complete"`)
	b.keys(kb.Tab)
	b.waitFor(`document.activeElement.matches("a.skip")`)
	b.seesFocus("Tab")
	b.keys(kb.Enter)
}

// fromMenu begins a text below the block of the cursor, and chooses a block by "/".
func (b *chromium) fromMenu(kind string) {
	b.Helper()
	b.keys(kb.Enter, chromedp.ModifierCtrl)
	b.seesFocus("Ctrl+Enter")
	b.keys("/")
	b.waitFor(`document.activeElement.closest(".canvas-menu") !== null`)
	b.seesFocus("/")
	if is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.activeElement.dataset.kind === "`+kind+`"`)); err != nil || !is {
		b.steps(kb.ArrowDown, "[data-kind="+kind+"]")
	}
	b.keys(kb.Enter)
	b.seesFocus("the choice of " + kind)
}

// writesWithoutMouse goes from the list of Messages to the button that sends.
func (b *chromium) writesWithoutMouse() {
	b.Must(chromedp.Do(b.ctx, chromedp.EmulateViewport(1280, 800)))
	b.visit("/admin/messages")
	b.lands(`location.pathname === "/admin/messages"`)
	b.steps(kb.Tab, `a[href="/admin/messages/new"]`)
	b.keys(kb.Enter)
	b.lands(`location.pathname === "/admin/messages/new"`)
	b.steps(kb.Tab, `form:has([value=club]) button`)
	b.keys(kb.Enter)
	b.lands(`!!document.getElementById("canvas")?.canvas`)
	b.writesHead()
	b.writesBlocks()
	b.writesWords()
	b.ordersBlocks()
	b.staysInPanel()
	b.sendsWithoutMouse()
	b.Must(chromedp.Do(b.ctx, chromedp.EmulateViewport(1280, 1400)))
}

// writesHead writes the subject, with an emoji, and the preview text.
func (b *chromium) writesHead() {
	b.steps(kb.Tab, "[name=subject]")
	b.keys("Beds in spring ")
	b.steps(kb.Tab, ".canvas-smile")
	for _, next := range []string{kb.Tab, ""} { // Tab leaves the choice, back to its button
		b.keys(kb.Enter)
		b.waitFor(`document.activeElement.closest(".canvas-emoji") !== null`)
		b.seesFocus("Enter")
		b.keys(next)
		b.waitFor(fmt.Sprintf(`document.activeElement.matches(".canvas-smile") === %v`, next != ""))
		b.seesFocus("Tab")
	}
	b.keys(kb.ArrowRight)
	b.seesFocus("an arrow key among emoji")
	b.keys(kb.Enter)
	b.waitFor(`document.activeElement.value === "Beds in spring 😊"`)
	b.seesFocus("the choice of an emoji")
	b.steps(kb.Tab, `.canvas-inbox input[maxlength="200"]`)
	b.keys("What grows now")
	b.waitFor(`document.querySelector(".canvas-phone").innerText.endsWith("Beds in spring 😊\nWhat grows now")`)
}

// writesBlocks adds blocks, and fills them in the mail and in the panel.
func (b *chromium) writesBlocks() {
	b.steps(kb.Tab, ".rows")
	b.fromMenu("heading")
	b.keys("Spring")
	b.fromMenu("columns")
	b.keys("on the left" + kb.ArrowRight + "on the right")
	b.keys(kb.Escape)
	b.keys(kb.Escape)
	b.seesFocus("Escape")
	b.fromMenu("image")
	b.steps(kb.Tab, ".pictures button")
	b.keys(kb.Enter)
	b.waitFor(`document.activeElement.matches(".pictures [aria-pressed=true]")`)
	b.seesFocus("the choice of a picture")
	b.steps(kb.Tab, ".canvas-panel label:not(.tick) > input[type=text]")
	b.keys("Flowers")
	b.keys(kb.Escape)
	b.waitFor(`document.activeElement.matches(".rows")`)
	b.fromMenu("button")
	b.keys("Read more")
	b.steps(kb.Tab, ".canvas-panel input[inputmode=url]")
	b.keys("example.com/read" + kb.Escape)
	b.waitFor(`document.activeElement.matches(".rows")`)
	b.hasBlocks("the menu", `{"type":"heading","text":"Spring","level":1},{"type":"columns","left":[{"type":"text","text":"on the left"}],"right":[{"type":"text","text":"on the right"}]},{"type":"image",`,
		`"alt":"Flowers"`, `{"type":"button","text":"Read more","link":"https://example.com/read"}`)
}

// hasBlocks looks for parts of what the form would send.
func (b *chromium) hasBlocks(about string, parts ...string) {
	b.Helper()
	all := b.blocks()
	for _, part := range parts {
		if !strings.Contains(all, part) {
			b.Errorf("%s leaves no %s in the blocks\n%s", about, part, all)
		}
	}
}

// writesWords puts a merge field with a fallback into a text, bold words and a link.
func (b *chromium) writesWords() {
	b.keys(kb.Enter, chromedp.ModifierCtrl)
	b.keys("Dear ")
	b.keys(kb.F10, chromedp.ModifierAlt)
	b.seesFocus("Alt+F10")
	b.steps(kb.ArrowLeft, ".canvas-bar select:last-child")
	b.keys(kb.ArrowDown) // opens the choice, and takes none of it
	down, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](`[...document.activeElement.options].findIndex(o => o.value === "Email")`))
	b.Must(err)
	for range down {
		b.keys(kb.ArrowDown)
	}
	b.keys(kb.Enter)
	b.waitFor(`document.activeElement.closest(".canvas-panel") !== null`)
	b.seesFocus("the choice of a merge field")
	b.keys("friend" + kb.Enter + ", look here")
	b.keys(kb.ArrowLeft, chromedp.ModifierCtrl, chromedp.ModifierShift)
	b.keys("b", chromedp.ModifierCtrl)
	b.seesFocus("Ctrl+B")
	b.keys("k", chromedp.ModifierCtrl)
	b.waitFor(`document.activeElement.closest(".canvas-ask") !== null`)
	b.seesFocus("Ctrl+K")
	b.keys("example.com" + kb.Enter)
	b.waitFor(`document.activeElement.matches(".rows")`)
	b.seesFocus("a link")
	b.hasBlocks("writing", `{"type":"text","text":"Dear {{Email|friend}}, look [**here**](https://example.com)"}`)
}

// ordersBlocks moves, copies and deletes the text by its keys and by the buttons of the panel, and takes that back.
func (b *chromium) ordersBlocks() {
	const button, text = `{"type":"button","text":"Read more","link":"https://example.com/read"}`, `{"type":"text","text":"Dear {{Email|friend}}, look [**here**](https://example.com)"}`
	press := func(want string, key string, modifiers ...chromedp.Modifier) {
		b.Helper()
		b.keys(key, modifiers...)
		b.seesFocus("a key that changes blocks")
		b.hasBlocks("a key", want)
	}
	press(text+","+button, kb.ArrowUp, chromedp.ModifierAlt, chromedp.ModifierShift)
	press(text+","+text+","+button, "d", chromedp.ModifierCtrl, chromedp.ModifierShift)
	press(text+","+button, kb.Backspace, chromedp.ModifierCtrl, chromedp.ModifierShift)
	before := b.blocks()
	press(text, "z", chromedp.ModifierCtrl) // changes that follow at once are taken back together
	if b.blocks() == before {
		b.Errorf("undo takes nothing back")
	}
	press(text+","+button, "y", chromedp.ModifierCtrl)
	if b.blocks() != before {
		b.Errorf("redo leaves\n%s, want\n%s", b.blocks(), before)
	}
	b.steps(kb.Tab, "[data-do=down]")
	for range 40 { // to the end of the mail: the button is of no use there
		b.keys(kb.Enter)
		b.seesFocus("a move by the panel")
		if is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.querySelector("[data-do=down]").disabled`)); err == nil && is {
			break
		}
	}
	if all := b.blocks(); !strings.HasSuffix(all, button+"]") {
		b.Errorf("the button, which has the cursor now, is not at the end of %s", all)
	}
	b.keys(kb.Escape)
	b.waitFor(`document.activeElement.matches(".rows")`)
	for range 60 {
		if b.blocks() == before {
			return
		}
		b.keys("z", chromedp.ModifierCtrl)
	}
	b.Errorf("undo leaves\n%s, want\n%s", b.blocks(), before)
}

// staysInPanel removes and adds links of a menu, takes a colour back, and deletes the block: the buttons that do so go away, or
// are of no use then. An empty heading is none for screen readers.
func (b *chromium) staysInPanel() {
	b.fromMenu("heading")
	b.waitFor(`document.querySelector(".current h1[role=presentation]") !== null`)
	b.keys("x")
	b.waitFor(`document.querySelector(".current h1:not([role])") !== null`)
	before := b.blocks()
	b.fromMenu("menu")
	b.steps(kb.Tab, ".canvas-item:nth-child(2) button")
	for _, is := range []string{".canvas-item:nth-child(2) button", ".canvas-items > button"} {
		b.keys(kb.Enter)
		b.waitFor(`document.activeElement.matches("` + is + `")`)
		b.seesFocus("a link is removed")
	}
	b.keys(kb.Enter)
	b.waitFor(`document.activeElement.matches(".canvas-item:nth-child(2) input")`)
	b.seesFocus("a link is added")
	b.steps(kb.Tab, ".canvas-panel summary")
	b.keys(kb.Enter)
	b.do(`{ const i = document.querySelector(".canvas-colour input"); i.value = "#146c4f"; i.dispatchEvent(new Event("input")) }`)
	b.steps(kb.Tab, ".canvas-colour button")
	b.keys(kb.Enter)
	b.waitFor(`document.activeElement.matches(".canvas-colour input")`)
	b.seesFocus("a colour is taken back")
	b.steps(kb.Tab, "[data-do=remove]", chromedp.ModifierShift)
	b.keys(kb.Enter)
	b.waitFor(`document.activeElement.matches("[data-do=remove]")`)
	b.seesFocus("a block is deleted")
	b.keys(kb.Escape)
	b.waitFor(`document.activeElement.matches(".rows")`)
	if b.blocks() != before {
		b.Errorf("a block that is added and deleted leaves\n%s, want\n%s", b.blocks(), before)
	}
}

// sendsWithoutMouse shows the mail to a Contact, sends a test mail, and sends the campaign.
func (b *chromium) sendsWithoutMouse() {
	b.steps(kb.Tab, "[name=contact]")
	b.keys("a1@example.com")
	b.steps(kb.Tab, "button[value=show]")
	b.keys(kb.Enter)
	b.lands(`location.search.includes("contact=") && !!document.getElementById("canvas")?.canvas`)
	b.steps(kb.Tab, "button[value=test]")
	b.keys(kb.Enter)
	b.lands(`/was sent to/.test(document.querySelector("main .note")?.innerText) && !!document.getElementById("canvas")?.canvas`)
	b.steps(kb.Tab, `a[href^="/admin/sends/new"]`)
	b.keys(kb.Enter)
	b.lands(`location.pathname === "/admin/sends/new"`)
	b.steps(kb.Tab, `input[name=list]`)
	b.keys(" ")
	b.waitFor(`document.activeElement.checked`)
	b.seesFocus("the choice of a List")
	b.steps(kb.Tab, `main form button.main`)
	b.keys(kb.Enter)
	b.lands(`location.pathname === "/admin/sends/check" && !document.querySelector("[hx-trigger=load]")`)
	b.steps(kb.Tab, `form[action="/admin/sends"] button.main`)
	b.keys(kb.Enter)
	b.waitFor(`/^.admin.sends.\d+$/.test(location.pathname)`)
}
