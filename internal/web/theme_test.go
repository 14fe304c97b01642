package web

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/colour"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file tests how pages look in the theme of an Account.

// setTheme uploads a logo and sets a theme. It returns the path of the logo.
func (h *harness) setTheme(pairs ...string) string {
	h.Helper()
	var b bytes.Buffer
	h.must(png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 40, 20))))
	logo, err := h.service.Files.UploadImage(h.Context(), h.caller, "logo.png", &b)
	h.must(err)
	pairs = append(pairs, "logo_file_id", itoa(int64(logo.ID)), "logo_text", "Garden <Club>", "font", "georgia")
	h.must(h.service.Messages.SetTheme(h.Context(), h.caller, sent(pairs)))
	return h.key.FilePath(logo.ID)
}

// covers: spec theme.pages
func TestPagesHaveTheLookOfTheAccount(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "is_public", "1", "double_opt_in_required", "1")
	id := h.subscribe("Email", "mira@example.com")
	form := h.addForm("redirect_url", "https://shop.example/thanks")
	logo := h.setTheme("accent_colour", "#ffee00", "imprint", "Garden <Club>\n1 High Street")
	paths := []string{form, form + "?preview", form + "/link", "/a/" + itoa(int64(h.list)), h.path(enlist.LinkConfirm, id),
		h.path(enlist.LinkUnsubscribe, id), h.path(enlist.LinkPreferences, id), h.path(enlist.LinkContact, id)}
	for _, path := range paths {
		a := h.do("GET", path, "")
		h.shows(a, http.StatusOK, `alt="Garden &lt;Club&gt;" width="160"`, "Garden &lt;Club&gt;\n1 High Street</footer>", "Georgia, 'Times New Roman', serif")
		styles := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(a.body, -1)
		policy := a.Header.Get("Content-Security-Policy")
		if len(styles) != 2 || !strings.Contains(policy, "; img-src 'self'") || strings.Contains(policy, "unsafe") {
			t.Fatalf("%s has %d style sheets and the policy %s", path, len(styles), policy)
		}
		for _, s := range styles {
			if !strings.Contains(policy, styleHash(s[1])) {
				t.Errorf("the policy of %s does not allow the style sheet %s", path, s[1])
			}
		}
		src := regexp.MustCompile(`<img src="([^"]+)"`).FindStringSubmatch(a.body)
		page, err := url.Parse("https://example.com/lists" + path)
		h.must(err)
		if image, err := page.Parse(src[1]); err != nil || image.Path != "/lists"+logo {
			t.Errorf("%s has the logo %s, want %s", path, src[1], logo)
		}
	}
	if a := h.do("GET", logo, ""); a.StatusCode != http.StatusOK || a.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the logo is answered with %d and %s", a.StatusCode, a.Header.Get("Content-Type"))
	}
	h.editList("imprint", "The List")
	if a := h.do("GET", form, ""); !strings.Contains(a.body, "The List</footer>") || strings.Contains(a.body, "High Street") {
		t.Error("the imprint of the List does not replace that of the theme")
	}

	theirs := h.anotherAccount()
	other := theirs.addForm()
	if got := theirs.do("GET", other, ""); strings.Contains(got.body, "Garden") || strings.Count(got.body, "<style>") != 1 ||
		strings.Contains(got.body, "<img") || strings.Contains(got.Header.Get("Content-Security-Policy"), "img-src") {
		t.Errorf("the page of another Account has the look of this one: %s", got.body)
	}
	for _, path := range []string{"/s/99", "/u/x"} {
		if a := h.do("GET", path, ""); strings.Contains(a.body, "<img") || strings.Contains(a.body, "Garden") {
			t.Errorf("%s, which is of no Account, has a look", path)
		}
	}
}

// anotherAccount returns the harness with the key and a List of another Account.
func (h *harness) anotherAccount() *harness {
	h.Helper()
	other := &harness{T: h.T, store: h.store, service: h.service, key: h.key, server: h.server, pages: h.pages, now: h.clock()}
	other.caller = &enlist.Caller{Account: &enlist.Account{Name: "Another", ContactLimit: enlist.NoContactLimit},
		Key: &enlist.Key{Name: "full access", Level: enlist.Full}}
	h.must(h.store.Update(h.Context(), func(tx *db.Tx) error {
		if err := accounts.Insert(tx, other.caller.Account); err != nil {
			return err
		}
		other.caller.Key.AccountID = other.caller.Account.ID
		return accounts.AddKey(tx, other.caller.Key, enlist.HashKey(enlist.NewKeyText()))
	}))
	other.list = other.addList("name", "Theirs")
	return other
}

// Any accent becomes a colour that can be read as a link, and below the text of a button.
//
// covers: spec theme.pages
func TestAccentsOfPagesCanBeRead(t *testing.T) {
	t.Parallel()
	usualLight, usualDark, _ := strings.Cut(style, "@media (prefers-color-scheme: dark)")
	for _, accent := range []string{"#ffee00", "#ffffff", "#000000", "#146c4f", "#ff0000", "#7f7f7f", "nonsense"} {
		light, dark, _ := strings.Cut(themeStyle(&messages.Theme{Accent: accent}), "@media (prefers-color-scheme: dark)")
		for _, scheme := range [][2]string{{light, usualLight}, {dark, usualDark}} {
			act := colourOf(t, scheme[0], "act")
			for _, beside := range []string{"sheet", "ground", "on-act"} {
				if c := colour.Contrast(act, colourOf(t, scheme[1], beside)); c < colour.Readable {
					t.Errorf("the accent %s becomes %s, which has a contrast of %.2f to --%s", accent, act, c, beside)
				}
			}
		}
	}
	if got := themeStyle(&messages.Theme{Accent: "#146c4f"}); !strings.Contains(got, "--act: #146c4f;") {
		t.Errorf("an accent that can be read is changed: %s", got)
	}
}
