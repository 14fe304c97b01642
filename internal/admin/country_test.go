package admin_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/enlist"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// This file tests where an Account has its time zone and the country of its telephone numbers from.

// covers: decision 149
func TestCountryOfAnAccount(t *testing.T) {
	apptest.Run(t, apptest.Own, newSite, []apptest.Rule[*site]{
		{Name: "a new Account asks for its time zone and country, as the browser has them", Test: (*site).newCountry},
		{Name: "a chosen country is that of new Lists, and of Lists that had no choice and have no Contact", Test: (*site).chosenCountry},
		{Name: "a declared country is not asked for", Test: (*site).declaredCountry},
	})
}

// inLanguage gets a page with the languages of a browser.
func (v *visitor) inLanguage(path, languages string) string {
	v.Helper()
	r, err := http.NewRequest("GET", v.server.URL+path, nil)
	v.Must(err)
	r.Header.Set("Accept-Language", languages)
	reply, err := v.client.Do(r)
	v.Must(err)
	_, _, text := v.read(reply)
	return text
}

// wantText checks that a text has all parts.
func (v *visitor) wantText(text string, parts ...string) {
	v.Helper()
	if none := missing(text, parts...); len(none) > 0 {
		v.Errorf("the page does not show %q:\n%s", none, shown(text))
	}
}

// inEnglish chooses the language of the pages, whatever a browser has.
func (s *site) inEnglish(others ...string) {
	for _, email := range append(others, "p-full@example.com") {
		s.Must(s.App.Users.SetLanguage(s.Context(), email, "en"))
	}
}

func (s *site) newCountry() {
	v := s.full()
	s.inEnglish()
	for languages, want := range map[string]string{"de,en;q=0.8": `: "Germany (+49)" of`, "de-AT": `: "Austria (+43)" of`,
		"en-CA": `: "United States (+1)" of`, "": `: "Australia (+61)" of`} {
		v.wantText(v.inLanguage("/admin/account", languages), want, "Where are you?", "Time zone")
		v.wantText(v.inLanguage("/admin/lists/new", languages), want)
	}
	if text := v.inLanguage("/admin/lists/"+id(s.News)+"/settings", "de"); len(missing(text, `: "Australia (+61)" of`)) > 0 {
		s.Errorf("the settings of a List that exists have another country than the List:\n%s", text)
	}
	v.wantText(v.inLanguage("/admin/lists/new", "de"), `"Canada (+1)"`, `"Jersey (+44)"`)
}

func (s *site) chosenCountry() {
	empty, other, used := s.AddList("name", "Empty"), s.AddList("name", "Swiss", "country_code", 41), s.AddList("name", "Used")
	s.Subscribe(used, "Mobile Phone", "0400 000 001")
	elsewhere := s.signedInElsewhere()
	v := s.full()
	s.inEnglish("else@example.com")
	form := url.Values{"name": {"Verein"}, "timezone": {"Europe/Berlin"}, "country_code": {"49"}}
	if at := v.send("/admin/account/edit", form, http.StatusOK, "Saved.", "Times are in Europe/Berlin"); !strings.HasPrefix(at, "/admin/?done=") {
		s.Errorf("the choice leads to %s, want Home", at)
	}
	for list, want := range map[enlist.ListID]int64{empty: 49, other: 41, used: 61, s.News: 61} {
		if l, err := s.App.Lists.List(s.Context(), s.Caller, list); err != nil || l.CountryCode != want {
			s.Errorf("the List %d has the country %d, want %d (%v)", list, l.CountryCode, want, err)
		}
	}
	v.wantText(v.inLanguage("/admin/lists/new", "fr"), `: "Germany (+49)" of`)
	v.wantText(v.inLanguage("/admin/account", "fr"), "Name, time zone and country", `Time zone: "Europe/Berlin" of`)
	elsewhere.wantText(elsewhere.inLanguage("/admin/account", "fr"), "Where are you?", `: "France (+33)" of`)
	form.Set("country_code", "33")
	v.send("/admin/account/edit", form, http.StatusOK, "Saved.", `: "France (+33)" of`)
	if l, err := s.App.Lists.List(s.Context(), s.Caller, empty); err != nil || l.CountryCode != 49 {
		s.Errorf("a later choice changes a List: %+v, %v", l, err)
	}
}

func (s *site) declaredCountry() {
	s.App.Accounts.Declare([]accounts.Declared{{Name: "country-code", Value: "49", Where: "variable ENLIST_COUNTRY_CODE"}})
	s.Must(s.App.ReadSettings(s.Context()))
	v := s.full()
	s.inEnglish()
	v.wantText(v.inLanguage("/admin/account", "fr"), "Name, time zone and country", `: "Germany (+49)" of`)
	v.wantText(v.inLanguage("/admin/lists/new", "fr"), `: "Germany (+49)" of`)
	elsewhere := s.signedInElsewhere()
	s.inEnglish("else@example.com")
	elsewhere.wantText(elsewhere.inLanguage("/admin/", "fr"), "[Choose your time zone and country](/admin/account) | done |")
}

// zoneOfTheBrowser opens the page of a new Account in a browser in India, whose name of the time zone is an older one.
func (b *chromium) zoneOfTheBrowser() {
	zone := func(name string) {
		b.Must(chromedp.Do(b.ctx, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, t, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: name})
			return chromedp.Void{}, err
		}))
	}
	zone("Asia/Calcutta")
	b.visit("/admin/account")
	b.waitFor(`document.querySelector("select[name=timezone]").value.startsWith("Asia/")`)
	b.Must(chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS("form[action='/admin/account/edit'] button"))))
	b.waitFor(`document.querySelector("footer").innerText.startsWith("Times are in Asia/")`)
	zone("")
}
