package admin_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/users"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// This file tries in Chromium each way to lose what was typed into the editor, or into a form.

// covers: decision 175
func TestNothingTypedIsLostInChromium(t *testing.T) {
	l := newLosses(t)
	for _, c := range []struct {
		name string
		lose func()
	}{
		{"the user signs out in another tab", l.signsOut},
		{"the session is removed, and the user saves", l.savesSignedOut},
		{"the server starts again", l.restart},
		{"the connection is lost", l.offline},
		{"two tabs have the same Message", l.twoTabs},
		{"the user goes back and forward", l.backAndForward},
		{"the tab is closed after the last key", l.tabIsClosed},
		{"the answer to a save is lost", l.answerIsLost},
		{"the user saves while the page saves", l.savesTwice},
		{"the server does not answer", l.noAnswer},
		{"the server refuses a save once", l.refusedOnce},
		{"the disk of the database is full, or it is away", l.databaseFails},
		{"the clock of the browser is wrong", l.wrongClock},
		{"a campaign sends the Message", l.queued},
		{"the Message is deleted", l.deleted},
		{"the user may not write any more", l.mayNotWrite},
		{"a long text is pasted", l.pastesLong},
		{"the user types without a pause", l.typesOn},
		{"a form is sent while the server is away", l.formWithoutServer},
		{"the page of a form is loaded again, or left", l.formIsLeft},
		{"the server fails to store a form", l.formFails},
		{"a text was not saved after one that was", l.closedOffline},
		{"another user saves while a text is not saved", l.changedMeanwhile},
		{"the user types beside an offer", l.typesBesideOffer},
		{"a form and a button have one address", l.oneAddress},
		{"the user signs out while another tab has a text", l.signsOutTyping},
		{"the browser is old", l.oldBrowser},
		{"the browser is killed", l.killed},
	} {
		t.Log(c.name)
		c.lose()
	}
	l.keepsTexts()
}

// script runs a script before those of each page.
func (l *losses) script(ctx context.Context, script string) {
	l.Must(chromedp.Do(ctx, func(ctx context.Context, t *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return none, err
	}))
}

// hurry makes the timers of the pages of a tab four times as fast.
func (l *losses) hurry(ctx context.Context) {
	const script = `{ const set = setTimeout, now = performance.now.bind(performance), limit = AbortSignal.timeout.bind(AbortSignal);
		window.setTimeout = (f, ms, ...all) => set(f, ms / 4, ...all); performance.now = () => now() * 4; AbortSignal.timeout = ms => limit(ms / 4) }`
	l.script(ctx, script)
}

func (l *losses) signsOut() {
	l.begin()
	other := l.tab()
	other.visit("/admin/you")
	other.do(`document.querySelector("form[action='/admin/sign-out']").requestSubmit()`)
	other.waitFor(`document.querySelector("h1").innerText === "Sign in"`)
	l.keys(" after")
	l.says("Not saved yet: you are signed out.")
	other.useLink()
	other.close()
	l.waitStored("before after")
	l.says("Saved ")
}

// savesSignedOut signs in on the page that the button leads to. It has the text.
func (l *losses) savesSignedOut() {
	l.visit("/admin/you")
	l.do(`{ const form = document.querySelector("form[action='/admin/you/password']"); form.elements.password.value = "three small cats"; form.requestSubmit() }`)
	l.waitFor(`document.querySelector("main .note")?.innerText === "Your password was changed."`)
	l.begin()
	l.Pass(13 * time.Hour)
	l.keys(" after")
	l.press(saveButton)
	l.waitFor(`document.querySelector("h1").innerText === "Sign in" && document.querySelector("main p.note").innerText.startsWith("What you typed is kept.")`)
	l.do(`{ const {elements} = document.querySelector("form[action='/admin/sign-in']"); elements.sign_in_email.value = "chromium@example.com"; elements.sign_in_password.value = "three small cats" }`)
	l.press("form[action='/admin/sign-in'] button")
	l.waitFor(`location.search.includes("done=")`)
	l.v = l.writer()
	l.waitStored("before after")
}

func (l *losses) restart() {
	l.begin()
	l.restarts(func() {
		l.keys(" after")
		l.says("Not saved yet: the server does not respond. Trying again.")
	})
	l.waitStored("before after")
	l.says("Saved ")
}

func (l *losses) setOffline(is bool) {
	l.Must(chromedp.Do(l.ctx, func(ctx context.Context, t *chromedp.Target) (none chromedp.Void, err error) {
		if _, err = cdp.Call(ctx, t, network.Enable, network.EnableParams{}); err == nil {
			_, err = cdp.Call(ctx, t, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
				MatchedNetworkConditions: []*network.Conditions{{DownloadThroughput: -1, UploadThroughput: -1, Offline: is}}})
		}
		return none, err
	}))
}

func (l *losses) offline() {
	l.begin()
	l.setOffline(true)
	l.keys(" after")
	l.says("Not saved yet: the server does not respond. Trying again.")
	l.press(saveButton)
	l.waitFor(`document.querySelector("[data-unsent]").innerText === "Not sent: the server does not respond. What you typed is still here. Try again in a moment."`)
	l.keys(" that")
	l.setOffline(false)
	l.waitStored("before after that")
	l.says("Saved ")
	l.waitFor(`document.querySelector("[data-unsent]").hidden`)
}

func (l *losses) twoTabs() {
	l.begin()
	tab := l.tab()
	second := losses{chromium: tab.chromium, v: l.v, at: l.at}
	second.visit(l.at)
	second.waitFor(`!!document.getElementById("canvas").canvas`)
	l.keys(" after")
	l.waitStored("before after")
	second.do(`document.querySelector(".rows").focus()`)
	second.keys("other ")
	second.says("Saved as a draft ")
	second.waitFor(`document.querySelector("[data-saved]").innerText.endsWith("Save to compare both texts.")`)
	second.press(saveButton)
	second.waitFor(`document.querySelector("main .note.bad")?.innerText.startsWith("Nothing was saved: this was changed") && document.querySelector(".rows").innerText.includes("other before")`)
	tab.close()
	l.waitStored("before after")
}

func (l *losses) backAndForward() {
	l.begin()
	l.keys(" after")
	l.visit("/admin/lists")
	l.waitStored("before after")
	l.back()
	l.waitFor(`document.querySelector(".rows")?.innerText.includes("before after")`)
	l.do(`{ const {view} = document.getElementById("canvas").canvas; view.focus(); view.dispatch(view.state.tr.insertText(" that", view.state.doc.content.size - 2)) }`)
	l.waitFor(`history.forward() || true`)
	l.waitFor(`document.querySelector("h1").innerText === "Lists"`)
	l.back()
	l.waitFor(`document.querySelector(".rows")?.innerText.includes("before after that")`)
	l.waitStored("before after that")
}

func (l *losses) tabIsClosed() {
	tab := l.tab()
	second := losses{chromium: tab.chromium, v: l.v}
	second.begin()
	second.keys(" after")
	tab.close()
	l.at = second.at
	l.waitStored("before after")
}

func (l *losses) answerIsLost() {
	l.begin()
	l.fail(lost, "/autosave$")
	l.keys(" after")
	l.waitStored("before after")
	l.says("Not saved yet: the server does not respond.")
	l.work()
	l.keys(" that")
	l.press(saveButton)
	l.waitFor(`location.search.includes("done=")`)
	l.waitStored("before after that")
}

func (l *losses) savesTwice() {
	l.begin()
	l.fail(held, "/autosave$")
	l.keys(" after")
	l.waitStored("before after")
	l.keys(" that")
	l.press(saveButton)
	l.waitFor(`location.search.includes("done=")`)
	l.work()
	l.waitStored("before after that")
}

func (l *losses) noAnswer() {
	l.begin()
	l.fail(none, "/autosave$")
	l.keys(" after")
	l.says("Not saved yet: the server does not respond.")
	l.work()
	l.waitStored("before after")
	l.says("Saved ")
}

func (l *losses) refusedOnce() {
	l.begin()
	for answer, says := range map[int]string{413: "Not saved: the text is too large.", 403: "Not saved: your role no longer allows you", 503: "Not saved yet: the server does not respond.",
		500: "Not saved yet: the server does not respond."} {
		l.fail(answer, "/autosave$")
		l.keys("!")
		l.says(says)
		l.work()
	}
	l.keys(" after")
	l.waitStored("before!!!! after")
	l.says("Saved ")
}

func (l *losses) databaseFails() {
	for _, fails := range []interface{ Store(bool) }{&l.store.isFull, &l.store.isAway} {
		l.begin()
		fails.Store(true)
		l.keys(" after")
		l.says("Not saved yet: the server does not respond.")
		fails.Store(false)
		l.waitStored("before after")
		l.says("Saved ")
	}
}

func (l *losses) wrongClock() {
	l.begin()
	for _, now := range []string{"4e12", "1000"} {
		l.do(`Date.now = () => ` + now)
		l.keys("x")
		l.says("Saved ")
	}
	l.waitStored("beforexx")
}

func (l *losses) queued() {
	l.begin()
	message := l.Message
	l.Message = l.v.message(l.at).ID
	l.AddAt(l.Now.Unix()+3600, apptest.Whole(l.News))
	l.Message = message
	l.composes()
	l.keys(" after")
	l.says("Saved as a draft ")
	l.waitFor(`document.querySelector("[data-saved]").innerText.endsWith("Save to change the Message itself.")`)
	l.waitStored("before")
	l.press(saveButton)
	l.waitFor(`location.search.includes("done=")`)
	l.waitStored("before after")
}

func (l *losses) deleted() {
	l.begin()
	l.Must(l.App.Messages.DeleteMessage(l.Context(), l.Caller, l.v.message(l.at).ID))
	l.keys(" after")
	l.says("Not saved: this Message was deleted")
	l.press(saveButton)
	l.waitFor(`location.search.includes("done=")`)
	at, err := chromedp.Run(l.ctx, chromedp.Evaluate[string](`location.pathname`))
	l.Must(err)
	if at == l.at {
		l.Fatalf("the text is saved at %s", at)
	}
	l.at = at
	l.waitStored("before after")
}

func (l *losses) mayNotWrite() {
	l.begin()
	become := func(level enlist.Level) {
		_, err := l.App.Users.Invite(l.Context(), users.Invitation{Email: "chromium@example.com", Name: "C",
			Membership: users.Membership{Account: l.Caller.Account.ID, Level: level, MaySend: level == enlist.Full}})
		l.Must(err)
	}
	become(enlist.Read)
	l.keys(" after")
	l.says("Not saved: your role no longer allows you to change this Message. Copy what you need.")
	become(enlist.Full)
	l.keys(" that")
	l.waitStored("before after that")
	l.says("Saved ")
}

// pastesLong pastes 300 KB, and leaves the page before they are saved: too much for a browser that leaves a page.
func (l *losses) pastesLong() {
	l.begin()
	l.do(`{ const d = new DataTransfer(); d.setData("text/html", "<p>" + "words ".repeat(50000) + "</p>");
		document.querySelector("[data-saved]").innerText = ""; // a page that is left before it knows of the save asks first
		document.querySelector(".rows").dispatchEvent(new ClipboardEvent("paste", {clipboardData: d, bubbles: true, cancelable: true})) }`)
	l.until("a save of 300 KB", func() bool { return len(l.v.stored(l.at)) > 290000 })
	l.says("Saved ")
}

func (l *losses) typesOn() {
	l.begin()
	l.do(`window.saves = 0; { const old = fetch; window.fetch = (path, ...all) => { if (path.endsWith("/autosave")) window.saves++; return old(path, ...all) } }`)
	l.until("a save while the user types", func() bool {
		l.keys("x")
		n, err := chromedp.Run(l.ctx, chromedp.Evaluate[int](`window.saves`))
		return err == nil && n > 0
	})
	l.says("Saved ")
}

const imprint = "textarea[name=imprint]"

// typeForm opens a form, and types at the start of its text.
func (l *losses) typeForm(text string) (path string) {
	path = "/admin/forms/" + id(l.News) + "/texts"
	l.visit(path)
	l.waitFor(`(e => { e.focus(); e.setSelectionRange(0, 0); return true })(document.querySelector("` + imprint + `"))`)
	l.keys(text)
	return path
}

// hasForm waits until the form has a text, and a note above it begins so.
func (l *losses) hasForm(text, note string) {
	l.Helper()
	l.waitFor(`document.querySelector("` + imprint + `")?.value.startsWith("` + text + `") && (document.querySelector("main form > .note")?.innerText ?? "").startsWith("` + note + `")`)
}

// sendForm presses the button of the form.
func (l *losses) sendForm() { l.do(`document.querySelector("` + imprint + `").form.requestSubmit()`) }

func (l *losses) formWithoutServer() {
	path := ""
	l.restarts(func() {})
	l.typeForm("away.")
	l.restarts(func() {
		l.sendForm()
		l.waitFor(`!document.querySelector("[data-unsent]").hidden && document.querySelector("` + imprint + `").value.startsWith("away.")`)
	})
	l.sendForm()
	l.waitFor(`location.search.includes("done=")`)
	path = l.typeForm("")
	l.hasForm("away.", "")
	l.visit(path)
	l.hasForm("away.", "")
}

func (l *losses) formIsLeft() {
	path := l.typeForm("left.")
	l.Must(chromedp.Do(l.ctx, chromedp.Reload()))
	l.hasForm("left.", "What you typed here on ")
	l.waitFor(`document.querySelector("main form > .note").innerText.includes("is back. It is not saved yet.")`)
	l.visit("/admin/lists")
	l.visit(path)
	l.hasForm("away.", "What you typed here on ")
	l.press("main form > .note button")
	l.hasForm("left.", "What you typed here on ")
	l.do(`[...document.querySelectorAll("main form > .note button")].at(-1).click()`)
	l.hasForm("away.", "")
	l.typeForm("private.")
	l.visit("/admin/you")
	l.waitFor(`JSON.stringify(localStorage).includes("private.")`)
	l.do(`document.querySelector("form[action='/admin/sign-out']").requestSubmit()`)
	l.waitFor(`document.querySelector("h1").innerText === "Sign in" && !JSON.stringify(localStorage).includes("private.")`)
	l.useLink()
}

// formFails sends a form again from the page that says that the server has failed.
func (l *losses) formFails() {
	l.typeForm("failed.")
	l.fail(500, "/texts$")
	l.sendForm()
	l.waitFor(`document.body.innerText.includes("made up")`)
	l.work()
	l.back()
	l.hasForm("failed.", "")
	l.sendForm()
	l.waitFor(`location.search.includes("done=")`)
}

// killed types into a form in a browser of its own, and kills it when it has written this to its disk.
func (l *losses) killed() {
	dir := l.TempDir()
	begin := func() (*losses, func()) {
		ctx, stop := chromedp.NewExecAllocator(l.Context(), l.options(dir)...)
		ctx, shut := chromedp.NewContext(ctx)
		b := &losses{chromium: &chromium{l.site, ctx, l.program}, faults: l.faults, v: l.v}
		b.useLink()
		return b, func() {
			shut()
			stop()
		}
	}
	b, stop := begin()
	b.typeForm("killed.")
	l.until("the browser writes to its disk", func() bool { return hasText(dir, "killed.") })
	l.Must(chromedp.FromContext(b.ctx).Browser.Process().Kill())
	stop()
	b, stop = begin()
	defer stop()
	b.typeForm("")
	b.waitFor(`document.querySelector("main form > .note")?.innerText.includes("was not saved.")`)
	b.press("main form > .note button")
	b.hasForm("killed.", "What you typed here on ")
}

// hasText reports whether a file of the browser's storage contains a text.
func hasText(dir, text string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "Default", "Local Storage", "leveldb", "*.log"))
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && strings.Contains(strings.ReplaceAll(string(b), "\x00", ""), text) {
			return true
		}
	}
	return false
}
