package admin_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/users"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// A person adds a passkey on the page "You" and signs in with it, in Chromium with a device in software.
func TestPasskeyWorksInChromium(t *testing.T) {
	if testing.Short() {
		t.Skip(`slow, because a browser must start: run it with "make check"`)
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	s := newSite(t, dbtest.SQLite.Own(t))
	base := strings.Replace(s.server.URL, "127.0.0.1", "localhost", 1)
	s.App.Users.SetSettings(users.Settings{PublicURL: base, Key: enlist.LinkKey{1}})
	s.signedIn(users.Membership{Level: enlist.Read})
	link, err := s.App.Users.NewLink(s.Context(), "p-read@example.com")
	s.Must(err)

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-component-update", true))...)
	t.Cleanup(stop)
	ctx, shut := chromedp.NewContext(ctx)
	t.Cleanup(shut)
	do := func(actions ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		s.Must(chromedp.Do(ctx, actions...))
	}
	do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		if _, err := cdp.Call(ctx, t, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return chromedp.Void{}, err
		}
		_, err := cdp.Call(ctx, t, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true}})
		return chromedp.Void{}, err
	})
	shows := func(what string) {
		t.Helper()
		for { // until the context ends
			text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
			if err == nil && strings.Contains(text, what) {
				return
			}
			if ctx.Err() != nil {
				t.Fatalf("the page does not show %q: %s, %v", what, text, err)
			}
		}
	}
	do(chromedp.Navigate(base+"/admin/link/"+link), chromedp.Click("main button"))
	shows("Where you are signed in")
	do(chromedp.SetValue("form[data-passkey] [name=name]", "Laptop"), chromedp.Click("form[data-passkey] button"))
	shows("The passkey was added")
	do(chromedp.Click("form[action='/admin/sign-out'] button"))
	shows("Sign in with a passkey")
	do(chromedp.Navigate(base+"/admin/sign-in?next=/admin/you"), chromedp.Click("form[data-passkey] button"))
	shows("Where you are signed in")
	shows("Laptop")
}
