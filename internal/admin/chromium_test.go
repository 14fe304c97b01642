package admin_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/internal/admin"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/language/languagetest"
	"enlist/internal/users"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The test opens pages in Chromium, with script. It is skipped if Chromium is not installed.

func TestScriptOfThePagesInChromium(t *testing.T) {
	b := newChromium(t, newSite)
	s := b.site
	b.zoneOfTheBrowser()
	list := s.garden()
	b.countFollowsTheInput(list)
	b.progressWithoutReload(list)
	b.keepsWhatIsTyped()
	b.printsTables(list)
	b.drawsForTheWidth("/admin/lists/" + id(list))
	b.backKeepsWhatWasTyped(list)
	b.picksByKeys()
	b.fitsNarrowWindows("/admin/contacts?list="+id(list)+"&g=0&key=State&op=in&value=NSW&g=1&key=Born&op=exactly&value=1990-01-31&top=State",
		"/admin/contacts/person?list="+id(list)+"&contact="+id(s.All(list)[0]), "/admin/contacts/change?list="+id(list)+"&key=State&op=in&value=NSW")
	b.fitsLongerWords()
	b.backAfterTheSignOut()
}

// chromium is a tab.
type chromium struct {
	*site
	ctx     context.Context
	program string
}

// options are those of a browser with a folder of its own.
func (b *chromium) options(dir string) []chromedp.ExecAllocatorOption {
	return append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(b.program), chromedp.UserDataDir(dir), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
}

// newChromium returns a tab in which a user is signed in.
func newChromium(t *testing.T, site func(*testing.T, db.Engine) *site) *chromium {
	if testing.Short() {
		t.Skip("slow, because a browser must start: run it with \"make check\"")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	s := site(t, dbtest.SQLite.Own(t))
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	b := &chromium{site: s, program: path}
	ctx, stop := chromedp.NewExecAllocator(ctx, b.options(t.TempDir())...)
	t.Cleanup(stop)
	ctx, shut := chromedp.NewContext(ctx)
	t.Cleanup(shut)
	b.ctx = ctx
	b.signIn()
	return b
}

func (b *chromium) visit(path string) {
	b.Helper()
	b.Must(chromedp.Do(b.ctx, chromedp.Navigate(b.server.URL+path)))
}

// waitFor waits until an expression in JavaScript is true.
func (b *chromium) waitFor(expression string) {
	b.Helper()
	for {
		is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](expression))
		if err == nil && is {
			return
		}
		select {
		case <-b.ctx.Done():
			b.Fatalf("%s does not become true: %v", expression, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (b *chromium) signIn() {
	_, err := b.App.Users.Invite(b.Context(), users.Invitation{Email: "chromium@example.com", Name: "C",
		Membership: users.Membership{Account: b.Caller.Account.ID, Level: enlist.Full, MaySend: true}})
	b.Must(err)
	b.useLink()
}

// useLink signs the person in, perhaps again.
func (b *chromium) useLink() {
	link, err := b.App.Users.NewLink(b.Context(), "chromium@example.com")
	b.Must(err)
	b.visit("/admin/link/" + link)
	b.Must(chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS("button"))))
	b.waitFor(`document.querySelector("nav") !== null`)
}

// countFollowsTheInput types into the box, and then adds a condition by its button.
func (b *chromium) countFollowsTheInput(list enlist.ListID) {
	b.visit("/admin/contacts?list=" + id(list))
	b.waitFor(`typeof htmx === "object" && document.querySelector("#count h2").innerText === "3 of 3"`)
	b.Must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS(`input[name=q]`), "cleo")))
	b.waitFor(`document.querySelector("#count h2").innerText === "1 of 3" && document.querySelectorAll("tbody tr td a[href*=person]").length === 3`)
	b.visit("/admin/contacts?list=" + id(list) + "&key=State&op=in&value=NSW")
	b.Must(chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS(`input[value=ACT]`))))
	b.waitFor(`document.querySelector("#count h2").innerText === "2 of 3"`)
}

// progressWithoutReload shows a change whose job then ends.
func (b *chromium) progressWithoutReload(list enlist.ListID) {
	number, err := b.App.Contacts.StartChange(b.Context(), b.Caller, contacts.ChangeRequest{List: list, Count: 3,
		Criteria: &enlist.Criteria{Key: "Email", Operator: "contains", Value: enlist.Input{Kind: enlist.InputText, Text: "garden"}},
		Action:   contacts.ChangeDeactivate})
	b.Must(err)
	b.visit("/admin/contacts/changes/" + id(number))
	b.waitFor(`(window.same = true) && document.querySelector("main").innerText.includes("The change is running")`)
	_, err = b.App.Contacts.MakeChange(b.Context(), contacts.MakeChange{ID: number})
	b.Must(err)
	b.waitFor(`window.same && document.querySelector("main").innerText.includes("The change is done") &&
		!document.querySelector("main").hasAttribute("hx-get")`)
}

// keepsWhatIsTyped types while pages load again by themselves.
func (b *chromium) keepsWhatIsTyped() {
	waiting := b.AddAt(b.Now.Add(time.Minute).Unix(), apptest.Whole(b.News))
	for path, input := range map[string]string{"/admin/sends": "input[name=q]", "/admin/sends/" + id(waiting): "input[name=at]"} {
		b.visit(path)
		b.waitFor(`typeof htmx === "object" && document.querySelector("#main").matches("[hx-trigger^=every]")`)
		b.waitFor(`(i => { i.focus(); i.type === "search" ? i.value = "typed" : i.value = "2031-01-02T03:04"; document.querySelector("#main").dataset.old = 1;
			htmx.trigger("#main", "now"); htmx.ajax("GET", location.href, {source: "#main", target: "#main", swap: "outerHTML"}); return true })(document.querySelector("` + input + `"))`)
		b.waitFor(`!document.querySelector("#main").dataset.old && (i => i === document.activeElement && ["typed", "2031-01-02T03:04"].includes(i.value))(document.querySelector("` + input + `"))`)
	}
}

// printsTables looks at the table of Contacts, which is inside a form, on paper.
func (b *chromium) printsTables(list enlist.ListID) {
	print := func(media string) {
		b.Must(chromedp.Do(b.ctx, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media})
			return chromedp.Void{}, err
		}))
	}
	print("print")
	defer print("")
	b.visit("/admin/contacts?list=" + id(list))
	b.waitFor(`document.querySelector("td a[href*=person]").checkVisibility() &&
		![...document.querySelectorAll("main :is(button, input, textarea)")].some(e => e.checkVisibility())`)
}

// drawsForTheWidth looks at the charts of a page in windows of many widths: they are as wide as their boxes, and their
// texts do not cover each other.
func (b *chromium) drawsForTheWidth(path string) {
	b.visit(path)
	for _, width := range []int64{320, 390, 700, 900, 1000, 1280, 1440} {
		b.Must(chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 640)))
		wrong, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`[...document.querySelectorAll(".chart")].flatMap(c => {
			const at = [...c.querySelectorAll("text")].filter(e => e.checkVisibility()).map(e => [e.textContent, e.getBoundingClientRect()]);
			const box = c.getBoundingClientRect(), right = c.firstChild.getBoundingClientRect().right;
			return at.filter(([_, a], i) => a.left < box.left || a.right > box.right + 1 || at.some(([_, b], k) =>
				k > i && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).map(([text]) => text).
				concat(Math.abs(right - box.right) > 1 || at.length < 6 ? ["the drawing"] : []);
		})`))
		b.Must(err)
		if len(wrong) > 0 {
			b.Errorf("in a window of %d, the charts of %s have %q in wrong places", width, path, wrong)
		}
	}
}

// picksByKeys types into the search of a picker, chooses by keys, and takes a choice back.
func (b *chromium) picksByKeys() {
	for n := range 40 {
		b.AddList("name", fmt.Sprintf("Branch %d", n+100))
	}
	b.visit("/admin/sends/new")
	const search = `#pick-list input[type=search]`
	b.waitFor(`document.querySelector("` + search + `").getAttribute("role") === "combobox"`)
	b.Must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS(search), "branch 11")))
	b.waitFor(`document.querySelectorAll("#pick-list div[role=option]").length === 10`) // a label may have no role
	b.Must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS(search), kb.ArrowDown+kb.ArrowDown)))
	b.waitFor(`(active => active?.getAttribute("role") === "option" && active.innerText.trim().startsWith("Branch 111"))(
		document.getElementById(document.querySelector("` + search + `").getAttribute("aria-activedescendant")))`)
	b.Must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS(search), kb.Enter)))
	b.waitFor(`location.pathname === "/admin/sends/new" && document.activeElement.matches("` + search + `") &&
		[...document.querySelectorAll("#pick-list [data-chosen] label.check > input:checked")].map(i => i.parentNode.innerText.trim().slice(0, 10)).join() === "Branch 111"`)
	b.Must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS(search), kb.Escape)))
	b.waitFor(`(text => text === "")(document.querySelector("` + search + `").value) &&
		(all => all.some(o => !o.innerText.includes("Branch 11")) && all.every(o => !o.innerText.includes("Branch 111")))([...document.querySelectorAll("#pick-list [role=option]")])`)
	b.Must(chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS(`#pick-list [role=option]`))))
	b.waitFor(`document.querySelectorAll("#pick-list [data-chosen] input:checked").length === 2`)
	b.Must(chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS(`#pick-list [data-chosen] input`))))
	b.waitFor(`new FormData(document.querySelector("main form")).getAll("list").length === 1`)
}

func (b *chromium) backKeepsWhatWasTyped(list enlist.ListID) {
	b.visit("/admin/forms/" + id(list) + "/texts")
	b.Must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS(`textarea[name=imprint]`), "typed")))
	b.Must(chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS(`nav a[href="/admin/lists"]`))))
	b.waitFor(`document.querySelector("h1").innerText === "Lists"`)
	b.waitFor(`history.back() || true`)
	b.waitFor(`document.querySelector("textarea[name=imprint]")?.value === "typed"`)
}

// backAfterTheSignOut clicks as a person does: Chromium skips pages on which nothing was clicked.
func (b *chromium) backAfterTheSignOut() {
	b.Must(chromedp.Do(b.ctx, chromedp.EmulateViewport(1200, 800)))
	b.visit("/admin/segments")
	for _, selector := range []string{`nav a[href="/admin/you"]`, `form[action="/admin/sign-out"] button`} {
		b.Must(chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS(selector))))
	}
	b.waitFor(`document.querySelector("h1").innerText === "Sign in" && document.readyState === "complete"`) // else the load ends the way back
	b.waitFor(`history.back() || true`)
	b.waitFor(`document.querySelector("h1").innerText === "Sign in" && location.search === "?next=%2Fadmin%2Fyou"`)
}

func (b *chromium) fitsNarrowWindows(paths ...string) {
	b.Must(chromedp.Do(b.ctx, chromedp.EmulateViewport(320, 640, chromedp.EmulateMobile)))
	for _, path := range paths {
		b.visit(path)
		width, err := chromedp.Run(b.ctx, chromedp.Evaluate[float64](`document.documentElement.scrollWidth`))
		b.Must(err)
		if width > 320 {
			b.Errorf("%s is %v wide in a window of 320", path, width)
		}
		picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		b.Must(err)
		name := strings.NewReplacer("/", "_", "?", "_").Replace(path[len("/admin/"):])[:20] + ".png"
		b.Must(os.WriteFile(filepath.Join(b.ArtifactDir(), name), picture, 0o600))
	}
}

// fitsLongerWords looks at pages in the made-up language, whose texts are a third longer, in a window of a phone. Cookies
// are for all ports of a host.
func (b *chromium) fitsLongerWords() {
	english := b.server
	b.server = httptest.NewServer(admin.New(b.App, admin.Options{Delay: func(*http.Request) {}, Log: slog.New(slog.DiscardHandler),
		SettingsPage: b.publicPages().SettingsExample, Texts: languagetest.Texts()}))
	defer func() {
		b.server.Close()
		b.server = english
	}()
	b.Must(chromedp.Do(b.ctx, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile)))
	for path := range b.paths() {
		b.visit(path)
		width, err := chromedp.Run(b.ctx, chromedp.Evaluate[float64](`document.documentElement.scrollWidth`))
		b.Must(err)
		if width > 390 {
			b.Errorf("%s with longer words is %v wide in a window of 390", path, width)
		}
	}
}
