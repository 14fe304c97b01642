package mail

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/messages"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// The test in this file compares newsletters with their mails in Chromium. It is skipped if it is not installed.

// viewer is a tab of Chromium.
type viewer struct {
	*testing.T
	ctx   context.Context
	shown atomic.Pointer[string] // the page that the server answers with
	url   string
}

func newViewer(t *testing.T) *viewer {
	t.Helper()
	if testing.Short() {
		t.Skip(`slow, because a browser must start: run it with "make check"`)
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP *.com ~NOTFOUND"))...)
	t.Cleanup(stop)
	ctx, shut := chromedp.NewContext(ctx)
	t.Cleanup(shut)
	v := &viewer{T: t, ctx: ctx}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, *v.shown.Load())
	}))
	t.Cleanup(server.Close)
	v.url = server.URL
	return v
}

// styles returns the computed style and the place of each element at a width, without the end that the service adds.
func (v *viewer) styles(page string, width int64, scheme string) []string {
	v.Helper()
	v.shown.Store(&page)
	err := chromedp.Do(v.ctx, chromedp.EmulateViewport(width, 800),
		func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
			return chromedp.Void{}, err
		}, chromedp.Navigate(v.url))
	if err != nil {
		v.Fatal(err)
	}
	all, err := chromedp.Run(v.ctx, chromedp.Evaluate[[]string](`(() => {
		document.querySelector("p[dir=auto][style^='margin: 24px 0 0']")?.remove();
		return [...document.querySelectorAll("body, body *:not(style, script, meta, title, link)")].map(e => {
			const s = getComputedStyle(e), r = e.getBoundingClientRect();
			return e.tagName + " " + e.id + " " + e.className + "; " +
				[...s].filter(p => !p.startsWith("-") && p !== "perspective-origin" && p !== "transform-origin")
					.map(p => p + ": " + s.getPropertyValue(p)).join("; ") +
				"; box: " + [r.x, r.y, r.width, r.height].map(Math.round).join(" ");
		});
	})()`))
	if err != nil {
		v.Fatal(err)
	}
	return all
}

// differences returns what differs between a newsletter and its mail, at each width and in each colour scheme.
func (v *viewer) differences(file, mail string) (all []string) {
	v.Helper()
	for _, width := range []int64{600, 360} {
		for _, scheme := range []string{"light", "dark"} {
			want, got := v.styles(file, width, scheme), v.styles(mail, width, scheme)
			if len(want) != len(got) {
				return append(all, fmt.Sprintf("%d elements became %d", len(want), len(got)))
			}
			for i := range want {
				if want[i] != got[i] {
					all = append(all, fmt.Sprintf("%d pixels, %s: %s", width, scheme, difference(want[i], got[i])))
				}
			}
		}
	}
	return all
}

// difference returns an element with those declarations that differ.
func difference(want, got string) string {
	a, b := strings.Split(want, "; "), strings.Split(got, "; ")
	text := a[0]
	for i := 1; i < min(len(a), len(b)); i++ {
		if a[i] != b[i] {
			text += "; " + a[i] + ", but in the mail " + b[i]
		}
	}
	return text
}

// A newsletter looks the same in the mail as in the file, at both widths and in both colour schemes.
//
// covers: decision 46
func TestNewslettersLookAsWrittenInChromium(t *testing.T) {
	v := newViewer(t)
	files, err := filepath.Glob("testdata/wild/*.html")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d newsletters: %v", len(files), err)
	}
	c, _ := testComposer(t)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		raw := &messages.Message{EmailType: messages.EmailRawHTML, Subject: "s", HTML: string(source)}
		inlined := &messages.Message{EmailType: messages.EmailHTML, Subject: "s", HTML: string(source)}
		written := send(t, c, testMail(raw)).html
		if found := v.differences(written, send(t, c, testMail(inlined)).html); len(found) > 0 {
			t.Errorf("%s: %q", file, slices.Compact(found))
		}
	}
}
