package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// axe-core checks pages for people who use a screen reader, a keyboard or strong contrasts. It is not part of this
// project: npm fetches it into the cache of the user.
const (
	axeVersion = "4.14.1"
	axeSum     = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c" // SHA-256 of axe.min.js
)

// make axe runs this test. It follows the links of the demo's pages, one page for each pattern, and lets axe-core check
// each in light and dark.
func TestAxeFindsNothing(t *testing.T) {
	if os.Getenv("ENLIST_TEST_AXE") == "" {
		t.Skip(`needs npm and Chromium: run it with "make axe"`)
	}
	script, chromium := axe(t), chromiumPath(t)
	printed, stop := startDemo(t, filepath.Join(t.TempDir(), "club"))
	defer stop()
	b := newAxeBrowser(t, chromium, script)
	link, err := url.Parse(demoLink.FindString(printed))
	if err != nil {
		t.Fatal(err)
	}
	b.base = link.Scheme + "://" + link.Host
	b.check("/admin/sign-in")
	b.check(link.Path)
	b.do(chromedp.Evaluate[chromedp.Void](`document.forms[0].submit()`))
	b.at("/admin/you")
	b.visit("/admin/webhooks") // the demo has none
	b.do(chromedp.Evaluate[chromedp.Void](`{ const f = document.querySelector("form[action='/admin/webhooks']");
		f.elements.url.value = "https://shop.example.com/events"; f.submit() }`))
	b.at("/admin/webhooks/1")
	b.walk("/admin/")
	t.Logf("axe-core %s has checked %d pages", axeVersion, b.checked)
	if b.checked < 25 {
		t.Errorf("only %d pages were found", b.checked)
	}
}

// axe returns the script, from the cache or from npm.
func axe(t *testing.T) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("there is no folder for axe-core: %v", err)
	}
	file := filepath.Join(cache, "enlist", "axe-core-"+axeVersion+".js")
	if script, err := os.ReadFile(file); err == nil && sumOf(script) == axeSum {
		return string(script)
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed, so axe-core cannot be fetched")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, npm, "pack", "--silent", "axe-core@"+axeVersion)
	command.Dir = dir
	if text, err := command.CombinedOutput(); err != nil {
		t.Skipf("npm did not fetch axe-core: %v\n%s", err, text)
	}
	script := fileOfPackage(t, filepath.Join(dir, "axe-core-"+axeVersion+".tgz"), "package/axe.min.js")
	if sum := sumOf(script); sum != axeSum {
		t.Fatalf("the SHA-256 of axe-core is %s, want %s", sum, axeSum)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, script, 0o644); err != nil {
		t.Fatal(err)
	}
	return string(script)
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// fileOfPackage returns a file of a package of npm.
func fileOfPackage(t *testing.T, path, name string) []byte {
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(unzipped); ; {
		h, err := archive.Next()
		if err != nil {
			t.Fatalf("look for %s: %v", name, err)
		}
		if h.Name == name {
			content, err := io.ReadAll(archive)
			if err != nil {
				t.Fatal(err)
			}
			return content
		}
	}
}

func chromiumPath(t *testing.T) string {
	for _, name := range []string{"chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("neither chromium nor google-chrome is installed")
	return ""
}

// axeBrowser is a tab of Chromium.
type axeBrowser struct {
	*testing.T
	ctx          context.Context
	script, base string
	checked      int
}

func newAxeBrowser(t *testing.T, path, script string) *axeBrowser {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))...)
	t.Cleanup(stop)
	ctx, shut := chromedp.NewContext(ctx)
	t.Cleanup(shut)
	return &axeBrowser{T: t, ctx: ctx, script: script}
}

func (b *axeBrowser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

func (b *axeBrowser) visit(path string) {
	b.Helper()
	b.do(chromedp.Navigate(b.base + path))
}

// at waits until the tab shows a path.
func (b *axeBrowser) at(path string) {
	b.Helper()
	b.do(chromedp.WaitReady("main"))
	for range 100 {
		at, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.readyState === "complete" ? location.pathname : ""`))
		if err == nil && at == path {
			return
		}
		if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`new Promise(r => setTimeout(() => r(true), 100))`, chromedp.EvalAwaitPromise)); err != nil {
			continue // the page went away meanwhile
		}
	}
	b.Fatalf("the browser does not come to %s", path)
}

// isFile finds the patterns of paths that lead to files, which are no pages.
var isFile = regexp.MustCompile(`^/admin/images/N$|\.csv\??$|^/admin/imports/N/refused$`)

// number is an ID in a path.
var number = regexp.MustCompile(`/\d+`)

// walk checks a page and all that its links lead to, one of each pattern.
func (b *axeBrowser) walk(first string) {
	seen, queue := map[string]bool{"/admin/": true}, []string{first}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		b.check(path)
		links, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`[...document.querySelectorAll("a[href^='/admin/'], iframe")].map(a => a.getAttribute("href")).filter(Boolean)`))
		if err != nil {
			b.Fatal(err)
		}
		for _, link := range links {
			link, _, _ = strings.Cut(link, "#")
			path, query, _ := strings.Cut(link, "?")
			pattern := number.ReplaceAllString(path, "/N")
			if query != "" {
				pattern += "?"
			}
			if !seen[pattern] && !isFile.MatchString(pattern) {
				seen[pattern] = true
				queue = append(queue, link)
			}
		}
	}
}

// violation is what axe-core found.
type violation struct {
	ID, Impact, Help string
	Targets          []string
}

// check lets axe-core check a page in both themes.
func (b *axeBrowser) check(path string) {
	b.Helper()
	b.checked++
	for _, scheme := range []string{"light", "dark"} {
		b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
			return chromedp.Void{}, err
		})
		b.visit(path)
		b.do(chromedp.Evaluate[chromedp.Void](b.script))
		found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]violation](`axe.run(document, {iframes: false}).then(r => r.violations.map(v => (
			{ID: v.id, Impact: v.impact, Help: v.help, Targets: v.nodes.map(n => n.target.join(" ") + " " + n.html.slice(0, 200))})))`, chromedp.EvalAwaitPromise))
		if err != nil {
			b.Fatalf("%s: %v", path, err)
		}
		for _, v := range found {
			b.Errorf("%s in %s: %s (%s): %s\n\t%s", path, scheme, v.ID, v.Impact, v.Help, strings.Join(v.Targets, "\n\t"))
		}
	}
}
