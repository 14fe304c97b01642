package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"enlist/api"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
)

// With --admin-listen, the pages link to Forms and archives at the public URL, and show the preview of a Form themselves.
func TestPagesOfTheirOwnAddressLinkToThePublicURL(t *testing.T) {
	key := strings.Repeat("0123456789abcdef", 4)
	printed := startPrinting(t, dbtest.SQLite, config.Serve{AdminListen: "127.0.0.1:0", PublicURL: "https://example.com/lists/"}, key)
	client := api.NewClient("http://"+greetingAddr.FindStringSubmatch(printed)[1], key)
	defer client.Close()
	form := must(client.SetForm(t.Context(), 1, api.Details{"name": "Website"}, 0))(t)
	must(client.EditList(t.Context(), api.Details{"id": 1, "is_public": 1}))(t)
	link := must(url.Parse(demoLink.FindString(printed)))(t)
	jar := must(cookiejar.New(nil))(t)
	browser := http.Client{Jar: jar}
	read := func(r *http.Response) string {
		defer r.Body.Close()
		return string(must(io.ReadAll(r.Body))(t))
	}
	read(must(browser.PostForm(link.String(), url.Values{"name": {"M"}, "email": {"m@example.com"}, "password": {"correct horse"}}))(t))
	if form != 1 {
		t.Fatalf("the first Form has the ID %d", form)
	}
	for path, parts := range map[string][]string{
		"/admin/forms": {`href="https://example.com/lists/s/1"`, `href="https://example.com/lists/a/1"`},
		"/admin/forms/1/1": {`<a href="https://example.com/lists/s/1">`, `src="/s/1?preview"`,
			"action=&#34;https://example.com/lists/s/1&#34;"},
		"/s/1?preview":         {"First List", "<form"},
		"/s/1?preview&lang=de": {"First List", "<form"},
	} {
		text := read(must(browser.Get("http://" + link.Host + path))(t))
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("GET %s has no %q:\n%s", path, part, text)
			}
		}
	}
	for _, path := range []string{"/s/1", "/a/1"} {
		r := must(browser.Get("http://" + link.Host + path))(t)
		if read(r); r.StatusCode != http.StatusNotFound {
			t.Errorf("GET %s at the address of the pages is answered with %d", path, r.StatusCode)
		}
	}
	if r := must(browser.Get("http://" + link.Host + "/f/1/x"))(t); !strings.Contains(read(r), "does not exist") {
		t.Error("the address of the pages has no files for the previews")
	}
	r := must(browser.Post("http://"+link.Host+"/s/1?preview", "", nil))(t)
	if read(r); r.StatusCode != http.StatusNotFound {
		t.Errorf("a POST of the preview is answered with %d", r.StatusCode)
	}
}

// covers: spec endpoint.status
func TestTheRootLeadsBrowsersToThePages(t *testing.T) {
	key := strings.Repeat("0123456789abcdef", 4)
	printed := startPrinting(t, dbtest.SQLite, config.Serve{}, key)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, c := range []struct{ method, accept, to string }{
		{http.MethodGet, "text/html,application/xhtml+xml,*/*;q=0.8", "/admin/"},
		{http.MethodGet, "*/*", ""}, {http.MethodGet, "application/json", ""}, {http.MethodPost, "text/html", ""},
	} {
		r := must(http.NewRequestWithContext(t.Context(), c.method, "http://"+greetingAddr.FindStringSubmatch(printed)[1]+"/", nil))(t)
		r.Header.Set("Accept", c.accept)
		reply := must(client.Do(r))(t)
		reply.Body.Close()
		if to := reply.Header.Get("Location"); to != c.to {
			t.Errorf("%s / with Accept: %s leads to %q, want %q", c.method, c.accept, to, c.to)
		}
	}
}
