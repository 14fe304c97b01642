package admin_test

import (
	"net"
	"net/http/httptest"
	"strings"
	"time"

	"enlist/internal/enlist"

	"github.com/chromedp/chromedp"
)

// This file tries in Chromium each way to lose a text: another page, a closed tab, a server that stops, the end of the
// session, two tabs, and the Back button.

const area = "textarea[name=content]"

func (b *chromium) keepsTexts() {
	message := b.markdown("")
	editor := "/admin/messages/" + id(message)
	b.visit(editor)
	b.types("One")
	b.waitFor(`document.querySelector("[data-saved]").innerText.startsWith("Saved ")`)
	b.waitForText(message, "One")

	b.types(" two") // and leaves the page at once
	b.visit("/admin/lists")
	b.waitForText(message, "One two")
	b.back()
	b.waitFor(`document.querySelector("` + area + `")?.value === "One two"`)

	b.waitFor(`(form => { form.addEventListener("submit", e => e.preventDefault(), {once: true}); form.requestSubmit(); return true })(document.getElementById("edit"))`)
	b.types(" three") // after the user has stopped the form
	b.waitForText(message, "One two three")
	b.waitFor(`(Date.now = () => 1000) && true`)
	b.types("!")
	b.waitForText(message, "One two three!")

	tab := b.tab()
	tab.visit(editor)
	tab.types(" More")
	tab.close()
	b.waitForText(message, "One two three! More")

	b.visit(editor)
	second := b.tab()
	second.visit(editor)
	b.types(" four")
	b.waitForText(message, "One two three! More four")
	second.types(" of another tab")
	second.waitFor(`document.querySelector("[data-saved]").innerText.startsWith("Saved as a draft ")`)
	second.close()
	b.visit(editor)
	b.waitFor(`document.querySelector("form .note").innerText.startsWith("There is a text that is not in the Message: ")`)
	b.waitForText(message, "One two three! More four")

	b.restarts(func() {
		b.types(" five")
		b.waitFor(`document.querySelector("[data-saved]").innerText.startsWith("Not saved yet: the server does not respond.")`)
	})
	b.waitForText(message, "One two three! More four five")

	b.Pass(13 * time.Hour)
	b.types(" six")
	b.waitFor(`document.querySelector("[data-saved]").innerText.startsWith("Not saved yet: you are signed out.")`)
	again := b.tab()
	again.useLink()
	again.close()
	b.waitForText(message, "One two three! More four five six")
	b.waitFor(`document.querySelector("[data-saved]").innerText.startsWith("Saved ")`) // else the page asks before it is left
	b.saysWhenTheSessionEnds()
}

// types types at the end of the text.
func (b *chromium) types(text string) {
	b.Helper()
	b.waitFor(`(e => { e.focus(); e.setSelectionRange(e.value.length, e.value.length); return true })(document.querySelector("` + area + `"))`)
	b.Must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS(area), text)))
}

func (b *chromium) back() { b.waitFor(`history.back() || true`) }

// waitForText waits until a Message has a text.
func (b *chromium) waitForText(message enlist.MessageID, want string) {
	b.Helper()
	for {
		m, err := b.App.Messages.Message(b.Context(), b.Caller, message)
		b.Must(err)
		if m.Text == want {
			return
		}
		select {
		case <-b.ctx.Done():
			b.Fatalf("the Message has %q, want %q", m.Text, want)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// closable is a tab that can be closed.
type closable struct {
	*chromium
	close func()
}

// tab opens another tab.
func (b *chromium) tab() closable {
	ctx, shut := chromedp.NewContext(b.ctx)
	return closable{&chromium{b.site, ctx, b.program}, shut}
}

// restarts stops the server, runs a function, and starts the server again at the same address.
func (b *chromium) restarts(meanwhile func()) {
	address, handler := strings.TrimPrefix(b.server.URL, "http://"), b.server.Config.Handler
	b.server.CloseClientConnections()
	b.server.Close()
	meanwhile()
	listener, err := new(net.ListenConfig).Listen(b.Context(), "tcp", address)
	b.Must(err)
	b.server = httptest.NewUnstartedServer(handler)
	b.server.Listener.Close()
	b.server.Listener = listener
	b.server.Start()
	b.Cleanup(b.server.Close)
}

// saysWhenTheSessionEnds puts the clock of the browser forward.
func (b *chromium) saysWhenTheSessionEnds() {
	b.visit("/admin/you")
	b.waitFor(`typeof htmx === "object" && document.querySelector("[data-session]").hidden`)
	b.waitFor(`(now => { Date.now = () => now() + 1000 * (12 * 3600 - 120); return true })(Date.now.bind(Date))`)
	b.waitFor(`!document.querySelector("[data-session]").hidden`)
	b.Must(chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS("[data-session] button"))))
	b.waitFor(`document.querySelector("[data-session]").hidden`)
}
