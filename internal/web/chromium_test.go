package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/colour"
	"enlist/internal/enlist"
	"enlist/internal/language"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The tests in this file open the pages in Chromium. They are skipped if it is not installed.

// browser is a tab of Chromium with the size of a phone and without script.
type browser struct {
	*harness
	ctx context.Context
}

func newBrowser(h *harness) *browser {
	h.Helper()
	if testing.Short() {
		h.Skip("slow, because a browser must start: run it with \"make check\"")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		path, err = exec.LookPath("google-chrome")
		if err != nil {
			h.Skip("neither chromium nor google-chrome is installed")
		}
	}
	ctx, cancel := context.WithTimeout(h.Context(), 4*time.Minute)
	h.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(h.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))...)
	h.Cleanup(stop)
	ctx, shut := chromedp.NewContext(ctx)
	h.Cleanup(shut)
	b := &browser{h, ctx}
	b.size(360, 640)
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return chromedp.Void{}, err
	})
	return b
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	b.must(chromedp.Do(b.ctx, actions...))
}

func (b *browser) size(width, height int64) {
	b.Helper()
	b.do(chromedp.EmulateViewport(width, height, chromedp.EmulateMobile))
}

func (b *browser) dark(on bool) {
	b.Helper()
	scheme := "light"
	if on {
		scheme = "dark"
	}
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return chromedp.Void{}, err
	})
}

func (b *browser) visit(path string) {
	b.Helper()
	b.do(chromedp.Navigate(b.server.URL + path))
}

// shot stores a screenshot of the page for the developer, who runs "go test -artifacts".
func (b *browser) shot(name string) {
	b.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	b.must(err)
	b.must(os.WriteFile(filepath.Join(b.ArtifactDir(), name+".png"), picture, 0o600))
}

// look checks the rules that hold for every page, and returns the text of the page. The script that
// it evaluates belongs to the test. The pages have no script.
func (b *browser) look() string {
	b.Helper()
	type facts struct {
		Lang, Title, Text, Ground string
		Width, Window             float64
		Headings, Mains, Scripts  int
		Small                     []string
	}
	f, err := chromedp.Run(b.ctx, chromedp.Evaluate[facts](`({
		Lang: document.documentElement.lang, Title: document.title, Text: document.body.innerText,
		Ground: getComputedStyle(document.querySelector("main")).backgroundColor,
		Width: document.documentElement.scrollWidth, Window: innerWidth,
		Headings: document.querySelectorAll("h1").length, Mains: document.querySelectorAll("main").length, Scripts: document.scripts.length,
		Small: [...document.querySelectorAll("button")].filter(b => b.getBoundingClientRect().height < 44).map(b => b.innerText),
	})`))
	b.must(err)
	if f.Lang != "en" || f.Title == "" || f.Headings != 1 || f.Mains != 1 || f.Scripts != 0 || len(f.Small) > 0 {
		b.Errorf("got %+v, want the language en, a title, one heading, one main, no script and no small button", f)
	}
	if f.Width > f.Window {
		b.Errorf("%q scrolls sideways: it is %v wide in a window of %v", f.Title, f.Width, f.Window)
	}
	if f.Ground == "rgba(0, 0, 0, 0)" {
		b.Errorf("%q has no style, want the style sheet: check its hash in the Content-Security-Policy", f.Title)
	}
	return f.Text
}

// tree returns the nodes of the accessibility tree, which screen readers use. Each node has the
// form "role name".
func (b *browser) tree() []string {
	b.Helper()
	found, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return cdp.Call(ctx, t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	b.must(err)
	var all []string
	for _, n := range found.Nodes {
		if !n.Ignored {
			all = append(all, strings.TrimSpace(text(n.Role)+" "+text(n.Name)))
		}
	}
	return all
}

// text returns a value of the accessibility tree.
func text(v *accessibility.Value) (t string) {
	if v != nil {
		json.Unmarshal(v.Value, &t) // t stays "" if the value is not text
	}
	return t
}

// announces checks that a screen reader announces the given nodes. Each node has the form
// "role name".
func (b *browser) announces(what ...string) {
	b.Helper()
	tree := b.tree()
	for _, w := range what {
		if !slices.Contains(tree, w) {
			b.Errorf("a screen reader announces %q, want also %q", tree, w)
		}
	}
}

// press runs an action that sends a form, and waits for the response.
func (b *browser) press(action chromedp.Action[chromedp.Void]) {
	b.Helper()
	resp, err := chromedp.RunResponse(b.ctx, action)
	b.must(err)
	if resp.Status != http.StatusOK {
		b.Errorf("the response has the status %d, want 200", resp.Status)
	}
}

// covers: decision 48
func TestButtonsWorkInChromiumWithoutScript(t *testing.T) {
	b := newBrowser(newHarness(t, "double_opt_in_required", "1"))
	id := b.subscribe("Email", "mira@example.com")

	b.visit(b.path(enlist.LinkConfirm, id))
	b.announces("main", "heading Confirm your subscription to News & <Views>", "button Confirm subscription")
	b.look()
	b.shot("confirm")
	b.press(chromedp.Click(chromedp.CSS("button")))
	if !strings.Contains(b.look(), "Your subscription is confirmed") || !b.contact(id).DoubleOptIn {
		t.Error("the button did not confirm the subscription")
	}
	b.shot("confirmed")

	// On the second page, the test uses only the keyboard.
	b.visit(b.path(enlist.LinkUnsubscribe, id))
	b.announces("main", "heading Unsubscribe from News & <Views>", "button Unsubscribe")
	b.look()
	b.do(chromedp.KeyEvent(kb.Tab))
	outline, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.activeElement.tagName + " " + getComputedStyle(document.activeElement).outlineStyle`))
	if err != nil || outline != "BUTTON solid" {
		t.Errorf("the focused element and its outline are %q, %v, want BUTTON solid", outline, err)
	}
	b.shot("unsubscribe")
	b.press(chromedp.KeyEvent(kb.Enter))
	if !strings.Contains(b.look(), "You are unsubscribed") || !b.contact(id).IsUnsubscribed {
		t.Error("the key Enter on the button did not unsubscribe the Contact")
	}
	b.shot("unsubscribed")
}

// Pages with very long texts fit on a phone, in the light and in the dark colour scheme.
//
// covers: decision 48
func TestPagesFitAPhoneInChromium(t *testing.T) {
	h := newHarness(t)
	_, err := h.service.Lists.EditList(t.Context(), h.caller, h.list, sent([]string{"name", strings.Repeat("W", 255)}))
	h.must(err)
	long := strings.Repeat("w", 60)
	h.must(addField(h, strings.Repeat("Field", 50)))
	b := newBrowser(h)
	id := b.subscribe("Email", long+"@"+long+".example.com", strings.Repeat("Field", 50), strings.Repeat("value", 500))
	contactPage := b.path(enlist.LinkContact, id)
	for _, scheme := range []string{"light", "dark"} {
		b.dark(scheme == "dark")
		for _, page := range []struct{ name, path string }{
			{"long-unsubscribe", b.path(enlist.LinkUnsubscribe, id)}, {"long-confirm", b.path(enlist.LinkConfirm, id)},
			{"long-contact", contactPage}, {"unknown", "/u/x"}, {"nowhere", b.clickPath(id, "relative")},
		} {
			b.visit(page.path)
			b.look()
			b.shot(page.name + "-" + scheme)
		}
	}
	b.size(1280, 800)
	b.visit(contactPage)
	b.look()
	b.shot("wide-contact")
}

// The pages that ask about recording fit a phone and a wide window in each language, with no box ticked before, and the
// button of the page works without script.
//
// covers: decision 160
func TestThePageAboutRecordingInChromiumInEachLanguage(t *testing.T) {
	b := newBrowser(newHarness(t, "track_opens", "1", "track_clicks", "1", "double_opt_in_required", "1"))
	form := b.addForm("asks_for_tracking", "1")
	for _, code := range language.Codes() {
		b.editList("language", code, "open_policy", "ask")
		id := b.subscribe("Email", code+"@example.com")
		for _, width := range []int64{390, 1280} {
			b.size(width, 844)
			b.dark(width == 390)
			for name, path := range map[string]string{"form": form, "confirm": b.path(enlist.LinkConfirm, id),
				"settings": b.path(enlist.LinkPreferences, id), "tracking": b.path(enlist.LinkTracking, id)} {
				b.visit(path)
				fits, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.documentElement.scrollWidth <= innerWidth && `+
					`document.documentElement.lang == "`+code+`" && document.querySelectorAll("button").length == 1 && `+
					`!document.querySelector("[name=tracking]:checked")`))
				if err != nil || !fits {
					t.Errorf("the page %s in %s at %d does not fit: %v", name, code, width, err)
				}
				b.shot(name + "-" + code + "-" + itoa(width))
			}
		}
		b.visit(b.path(enlist.LinkTracking, id))
		b.press(chromedp.Click(chromedp.CSS("button")))
		b.decided(id, enlist.TrackingDenied, 1)
		b.shot("tracking-" + code + "-refused")
	}
}

// Texts of a language with longer words than English fit on a phone.
func TestTranslatedPagesFitAPhoneInChromium(t *testing.T) {
	h := newHarness(t, "double_opt_in_required", "1")
	h.addForm()
	b := newBrowser(h)
	b.size(390, 844)
	pages := h.marked()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(pages[r.URL.Path[1:]]))
	}))
	defer server.Close()
	for name := range pages {
		b.do(chromedp.Navigate(server.URL + "/" + name))
		b.look()
		b.shot("marked-" + name)
	}
}

// covers: decision 48
func TestColoursHaveEnoughContrast(t *testing.T) {
	t.Parallel()
	light, dark, ok := strings.Cut(style, "@media (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("the style sheet has no rules for the dark colour scheme")
	}
	for _, scheme := range []struct{ name, css string }{{"light", light}, {"dark", dark}} {
		for _, pair := range [][2]string{{"ink", "sheet"}, {"quiet", "sheet"}, {"on-act", "act"}, {"act", "sheet"}} {
			c := colour.Contrast(colourOf(t, scheme.css, pair[0]), colourOf(t, scheme.css, pair[1]))
			if c < colour.Readable {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want at least 4.5", scheme.name, pair[0], pair[1], c)
			}
		}
	}
}
