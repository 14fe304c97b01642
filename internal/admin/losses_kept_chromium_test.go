package admin_test

import (
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/messages"

	"github.com/chromedp/chromedp"
)

// This file tries in Chromium when a text that the browser keeps is offered, put back and removed.

// isKept waits until the browser keeps a text, or does not.
func (l *losses) isKept(text string, is bool) {
	l.Helper()
	not := "!"
	if is {
		not = ""
	}
	l.waitFor(not + `JSON.stringify(localStorage).includes("` + text + `")`)
}

// offers waits until the page offers a text for a form, and has not put it in.
func (l *losses) offers(text string) {
	l.Helper()
	l.isKept(text, true)
	l.waitFor(`document.querySelector("main form > .note[role=status] button")?.hidden === false`)
}

// noFetch loses all that the scripts of a page send, also while it is left.
const noFetch = `window.fetch = () => Promise.reject(new Error("lost"))`

// leavesOffline types a text that is not saved after one that was, and closes the tab.
func (l *losses) leavesOffline(text string) {
	tab := l.tab()
	second := losses{chromium: tab.chromium, v: l.v}
	second.hurry(second.ctx)
	second.begin()
	second.do(noFetch)
	second.keys(text)
	second.says("Not saved yet: the server does not respond. Trying again.")
	second.isKept("before"+text, true)
	tab.close()
	l.at = second.at
}

func (l *losses) closedOffline() {
	l.leavesOffline(" after")
	l.visit(l.at)
	l.offers("before after")
	l.press("main form > .note[role=status] button")
	l.waitStored("before after")
	l.isKept("before after", false)
}

func (l *losses) changedMeanwhile() {
	l.leavesOffline(" mine")
	l.v.saves(l.at, blockForm("blocks", `[{"type":"text","text":"theirs"}]`, "page", "theirs", "number", "1",
		"seen", enlist.VersionOf(messages.WholeMessageAttributes, l.v.message(l.at))))
	l.visit(l.at)
	l.Must(chromedp.Do(l.ctx, chromedp.Reload()))
	l.offers("before mine")
	l.waitStored("theirs")
	l.press("main form > .note[role=status] button")
	l.says("Saved as a draft ")
	l.waitStored("theirs")
}

func (l *losses) typesBesideOffer() {
	l.leavesOffline(" offered")
	l.visit(l.at)
	l.offers("before offered")
	l.do(`document.querySelector(".rows").focus()`)
	l.keys("x")
	l.says("Saved ")
	l.offers("before offered")
	l.visit(l.at)
	l.offers("before offered")
	l.do(`[...document.querySelectorAll("main form > .note[role=status] button")].at(-1).click()`)
	l.isKept("before offered", false)
	l.until("a save", func() bool { return strings.Contains(l.v.stored(l.at), "x") })
}

// oneAddress has a button whose form goes where the form of a text goes, and a second text for another record.
func (l *losses) oneAddress() {
	path := l.typeForm("shared.")
	l.isKept("shared.", true)
	l.visit("/admin/lists")
	l.visit(path)
	l.offers("shared.")
	l.do(`{ const {form} = document.querySelector("` + imprint + `"), second = form.cloneNode(), hidden = document.createElement("input");
		hidden.type = "hidden"; hidden.name = "do"; hidden.value = "remove"; second.append(hidden); form.after(second);
		second.dispatchEvent(new Event("input", {bubbles: true})); second.dispatchEvent(new Event("form:stored", {bubbles: true})); }`)
	l.isKept("shared.", true)
	l.do(`[...document.querySelectorAll("main form > .note[role=status] button")].at(-1).click()`)
	l.isKept("shared.", false)
}

// signsOutTyping types at the moment of the sign-out. Another tab has a text, and goes then.
func (l *losses) signsOutTyping() {
	tab := l.tab()
	second := losses{chromium: tab.chromium, v: l.v}
	second.typeForm("second.")
	second.isKept("second.", true)
	l.visit("/admin/you")
	l.do(`{ const {form} = document.querySelector("main form input:not([type=hidden], [type=password])"), input = form.querySelector("input:not([type=hidden], [type=password])");
		input.value = "first."; input.dispatchEvent(new Event("input", {bubbles: true}));
		for (const input of document.querySelectorAll("[type=password]")) { input.value = "secret."; input.dispatchEvent(new Event("input", {bubbles: true})) } }`)
	l.isKept("first.", true)
	l.isKept("secret.", false)
	l.do(`{ const input = document.querySelector("main form input:not([type=hidden], [type=password])"); input.value = "typed last.";
		addEventListener("submit", () => input.dispatchEvent(new Event("input", {bubbles: true})));
		document.querySelector("form[action='/admin/sign-out']").requestSubmit() }`)
	l.waitFor(`document.querySelector("h1").innerText === "Sign in"`)
	second.do(`document.querySelector("` + imprint + `").dispatchEvent(new Event("input", {bubbles: true}))`)
	tab.close()
	for _, text := range []string{"first.", "second.", "typed last."} {
		l.isKept(text, false)
	}
	l.useLink()
	for _, text := range []string{"first.", "second.", "typed last."} {
		l.isKept(text, false)
	}
}

func (l *losses) oldBrowser() {
	tab := l.tab()
	defer tab.close()
	second := losses{chromium: tab.chromium, v: l.v}
	second.script(second.ctx, `delete AbortSignal.timeout; delete HTMLFormElement.prototype.requestSubmit`)
	second.begin()
	second.keys(" after")
	second.waitStored("before after")
	second.typeForm("old.")
	second.press("main form button.main")
	second.waitFor(`location.search.includes("done=")`)
	second.isKept("old.", false)
	second.hasForm("old.", "")
}
