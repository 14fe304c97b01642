package reference

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// The reference page fits a phone and a wide window. Its script puts the reader's key and List into the examples, finds
// methods, sends a call, and keeps the key only in the tab.
//
// covers: decision 74
func TestReferenceWorksInChromium(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, because a browser must start: run it with \"make check\"")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	server := newServer(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ctx, stop := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU)...)
	defer stop()
	ctx, shut := chromedp.NewContext(ctx)
	defer shut()
	for _, width := range []int64{360, 1400} {
		if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 800), chromedp.Navigate(server.URL+"/api/")); err != nil {
			t.Fatal(err)
		}
		type facts struct {
			Width, Window, Found  float64
			Headings, Lists       float64
			Code, Reply, Kept, In string
		}
		f, err := chromedp.Run(ctx, chromedp.Evaluate[facts](`(async () => {
			const set = (id, value) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event("input")); };
			set("key", "my-key"); set("list", "7"); set("language", "Python");
			const article = document.getElementById("countContacts");
			const code = article.querySelector(".snippet[open]").innerText;
			const form = article.querySelector(".try details");
			form.open = true;
			await new Promise((done) => setTimeout(done, 50));
			form.querySelector("button").click();
			const output = form.querySelector("pre");
			while (output.hidden || output.textContent === "…") await new Promise((done) => setTimeout(done, 5));
			const width = document.documentElement.scrollWidth;
			set("search", "unsubscriber list");
			return {Width: width, Window: innerWidth, Code: code, Reply: output.textContent,
				Found: document.querySelectorAll(".chapter article:not(.away)").length,
				Headings: document.querySelectorAll("nav ul:not(.away)").length, Lists: document.querySelectorAll("nav ul").length,
				Kept: JSON.stringify(sessionStorage), In: JSON.stringify(localStorage) + document.cookie};
		})()`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		if f.Width > f.Window {
			t.Errorf("the page is %v wide in a window of %v", f.Width, f.Window)
		}
		if !strings.Contains(f.Code, `["my-key", 7, `) || !strings.Contains(f.Code, "urllib") || !strings.Contains(f.Code, server.URL) {
			t.Errorf("got the example %s, want Python with the key, the List and the address", f.Code)
		}
		if !strings.Contains(f.Reply, `\"method\":\"countContacts\",\"params\":[\"my-key\",7,`) {
			t.Errorf("got the reply %s", f.Reply)
		}
		if f.Found == 0 || f.Found > 10 || f.Kept != `{"api_key":"my-key"}` || f.In != "{}" {
			t.Errorf("got %+v, want a few methods, and the key only in sessionStorage", f)
		}
		if f.Headings == 0 || f.Headings > f.Found || f.Headings == f.Lists {
			t.Errorf("%v of %v chapters are left in the menu, for %v methods", f.Headings, f.Lists, f.Found)
		}
		picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(80))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(t.ArtifactDir(), "reference.png"), picture, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
