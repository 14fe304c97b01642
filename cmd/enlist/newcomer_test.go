package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"enlist/internal/language"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take to show what a person waits for.
const patience = 30 * time.Second

// newcomer is a person at a tab of Chromium. The person presses keys and buttons, and fills in what labels name. All
// conditions read the page through DevTools, which also works if the browser runs no script of the page.
type newcomer struct {
	*testing.T
	ctx      context.Context
	language *language.Language // of the browser
	pictures string             // folder for the pictures of doc/first-newsletter.md; "": none
}

// newNewcomer opens a browser with a language and a window of a width, whose pages run scripts or not.
func newNewcomer(t *testing.T, script bool, code string, width int64) *newcomer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromiumPath(t)), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("accept-lang", code), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))...)
	t.Cleanup(stop)
	ctx, shut := chromedp.NewContext(ctx)
	t.Cleanup(shut)
	n := &newcomer{T: t, ctx: ctx, language: language.New().For(code, "")}
	// The browser lives as long as the context of this call.
	err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 700), func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: !script})
		return chromedp.Void{}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (n *newcomer) do(actions ...chromedp.Action[chromedp.Void]) {
	n.Helper()
	ctx, cancel := context.WithTimeout(n.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		n.Fatalf("%v; the page is\n%s", err, n.text())
	}
}

// t returns a text of the catalogue in the language of the browser.
func (n *newcomer) t(key string, args ...any) string {
	return strings.Join(strings.Fields(n.language.Text(key, args...)), " ")
}

// goesTo follows an entry of the menu, which a phone opens first.
func (n *newcomer) goesTo(key string) {
	n.Helper()
	if n.reads(`getComputedStyle(document.querySelector("button.menu")).display`) != "none" {
		n.do(chromedp.Click(chromedp.CSS("button.menu")))
	}
	n.presses(n.t(key))
}

// text returns the text of the page that a person can see, without the menu, in one line.
func (n *newcomer) text() string {
	text := n.reads(`(document.querySelector("main") ?? document.body).innerText`)
	return strings.Join(strings.Fields(text), " ")
}

// reads returns the value of an expression in JavaScript. It is "" while the tab loads a page.
func (n *newcomer) reads(expression string) string {
	text, err := chromedp.Run(n.ctx, chromedp.Evaluate[string](expression))
	if err != nil {
		return ""
	}
	return text
}

// is waits until an expression in JavaScript is true.
func (n *newcomer) is(expression string) {
	n.Helper()
	n.wait(expression, func() bool {
		is, err := chromedp.Run(n.ctx, chromedp.Evaluate[bool](expression))
		return err == nil && is
	})
}

// sees waits until the complete page shows all of the texts.
func (n *newcomer) sees(texts ...string) {
	n.Helper()
	for _, text := range texts {
		n.wait(text, func() bool { return strings.Contains(n.text(), text) })
	}
}

// wait asks again until a condition holds, until patience is over.
func (n *newcomer) wait(what string, holds func() bool) {
	n.Helper()
	ctx, cancel := context.WithTimeout(n.ctx, patience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			n.Fatalf("the person does not see %q, but\n%s", what, n.text())
		case <-again.C:
		}
	}
}

// opens goes to an address.
func (n *newcomer) opens(url string) {
	n.Helper()
	n.do(chromedp.Navigate(url))
}

// presses clicks a button or a link with a text, and waits for the next page.
func (n *newcomer) presses(text string) {
	n.Helper()
	path := fmt.Sprintf(`//main//button[(normalize-space()=%[1]q or @aria-label=%[1]q) and not(@tabindex)] | //a[normalize-space()=%[1]q]`, text)
	before := n.document()
	n.do(chromedp.Click(path))
	n.wait("another page after "+text, func() bool {
		now := n.document()
		return now != "" && now != before
	})
}

// document identifies the complete page that the tab shows. It is "" while the tab loads a page.
func (n *newcomer) document() string {
	const of = `document.readyState === "complete" ? location.href + " " + performance.timeOrigin : ""`
	return n.reads(of)
}

// writes replaces the text of an input. path is that of the input.
func (n *newcomer) writes(path, text string) {
	n.Helper()
	n.do(chromedp.Click(path), chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)),
		chromedp.SendKeys(path, text))
}

// ticks clicks the box of the label that begins with a text.
func (n *newcomer) ticks(label string) {
	n.Helper()
	n.do(chromedp.Click(inLabel(label, "input")))
}

// chooses takes the entry of a select that begins with a text. DevTools chooses it, because the list that a click opens
// is not part of the page. path is that of the select.
func (n *newcomer) chooses(path, entry string) {
	n.Helper()
	n.do(chromedp.WaitVisible(path))
	n.is(fmt.Sprintf(`(() => {
		const s = document.evaluate(%q, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue
		const o = [...s.options].find(o => o.text.startsWith(%q))
		if (!o) return false
		s.value = o.value
		s.dispatchEvent(new Event("input", {bubbles: true}))
		return true })()`, path, entry))
}

// uploads gives a file to the only input for files.
func (n *newcomer) uploads(file string) {
	n.Helper()
	n.do(chromedp.SetUploadFiles(chromedp.CSS(`input[type=file]`), []string{file}))
}

// named is the path of an input by its name.
func named(name string) string { return fmt.Sprintf(`//main//*[@name=%q]`, name) }

// inLabel is the path of an element in the label that begins with a text.
func inLabel(text, element string) string {
	return fmt.Sprintf(`(//main//label[starts-with(normalize-space(), %q)])[1]//%s`, text, element)
}

// picture writes a picture of the page into the folder, if there is one. Its upper edge is that of the heading that
// begins with a text, or that of the page. 32 colours keep it small.
func (n *newcomer) picture(name, heading string, height float64) {
	n.Helper()
	if n.pictures == "" {
		return
	}
	top, err := strconv.ParseFloat(n.reads(fmt.Sprintf(`(() => {
		const h = [...document.querySelectorAll("h2")].find(h => h.innerText.startsWith(%q))
		return String(%[1]q && h ? h.closest(".card").getBoundingClientRect().top + scrollY - 16 : 0) })()`, heading)), 64)
	if err != nil {
		n.Fatal(err)
	}
	beyond := true
	shot, err := chromedp.Run(n.ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		r, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: &beyond,
			Clip: &page.Viewport{Y: top, Width: 1000, Height: height, Scale: 1}})
		if err != nil {
			return nil, err
		}
		return r.Data, nil
	})
	if err != nil {
		n.Fatal(err)
	}
	whole, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		n.Fatal(err)
	}
	few := image.NewPaletted(whole.Bounds(), paletteOf(whole))
	draw.Draw(few, few.Bounds(), whole, whole.Bounds().Min, draw.Src)
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, few); err != nil {
		n.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(n.pictures, name+".png"), b.Bytes(), 0o644); err != nil {
		n.Fatal(err)
	}
}

// paletteOf returns the most frequent colours of a picture that differ from each other.
func paletteOf(of image.Image) (all color.Palette) {
	counts := map[color.RGBA]int{}
	bounds := of.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[color.RGBAModel.Convert(of.At(x, y)).(color.RGBA)]++
		}
	}
	frequent := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int { return counts[b] - counts[a] })
	for _, c := range frequent {
		if len(all) < 32 && !slices.ContainsFunc(all, func(b color.Color) bool { return near(c, b.(color.RGBA)) }) {
			all = append(all, c)
		}
	}
	return all
}

// near reports whether a person would hardly tell two colours apart. Light ones differ less on a screen.
func near(a, b color.RGBA) bool {
	most := 28
	if min(a.R, a.G, a.B, b.R, b.G, b.B) > 0xd8 {
		most = 3
	}
	away := func(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }
	return max(away(a.R, b.R), away(a.G, b.G), away(a.B, b.B)) < most
}
