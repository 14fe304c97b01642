package enlist_test

import (
	"net/url"
	"strings"
	"testing"

	"enlist/internal/enlist"
)

// covers: decision 156
func TestParametersAreAddedToLinks(t *testing.T) {
	own := &enlist.LinkKey{7}
	file := "https://lists.example.org/mail" + own.FilePath(12)
	all := enlist.UTM{Use: enlist.UTMOn}.Tag(enlist.UTM{}, "News & more", "May", own)
	const added = "utm_source=News+%26+more&utm_medium=email&utm_campaign=May"
	some := enlist.UTM{Use: enlist.UTMOn, Content: "b", Domains: "example.com"}.Tag(enlist.UTM{Source: "s", Term: "t"}, "L", "C", own)
	const addedSome = "utm_source=s&utm_medium=email&utm_campaign=C&utm_content=b&utm_term=t"
	for _, c := range []struct {
		tag        *enlist.LinkTag
		link, want string
	}{
		{all, "https://example.com", "https://example.com?" + added},
		{all, "HTTP://example.com/a?", "HTTP://example.com/a?" + added},
		{all, "https://example.com/a?b=c&d#e?f", "https://example.com/a?b=c&d&" + added + "#e?f"},
		{all, "https://example.com/a?b&", "https://example.com/a?b&" + added},
		{all, "https://example.com/?utm_source=x&utm_medium", "https://example.com/?utm_source=x&utm_medium&utm_campaign=May"},
		{all, "https://example.com/?xutm_source=x#utm_medium=1", "https://example.com/?xutm_source=x&" + added + "#utm_medium=1"},
		{all, "https://example.com/?utm_source=x&utm_medium=y&utm_campaign=", "https://example.com/?utm_source=x&utm_medium=y&utm_campaign="},
		{all, "https://example.com/#/shop?a=1", "https://example.com/?" + added + "#/shop?a=1"},
		{all, "mailto:ann@example.com?subject=a", "mailto:ann@example.com?subject=a"},
		{all, "tel:+491", "tel:+491"},
		{all, "#top", "#top"},
		{all, "/relative?next=http://example.com", "/relative?next=http://example.com"},
		{all, file, file},
		{all, "https://example.com/f/12/x", "https://example.com/f/12/x?" + added},
		{some, "https://example.com/", "https://example.com/?" + addedSome},
		{some, "https://user@shop.Example.COM.:8443/?a", "https://user@shop.Example.COM.:8443/?a&" + addedSome},
		{some, "https://notexample.com/", "https://notexample.com/"},
		{some, "https://example.com.evil.example/", "https://example.com.evil.example/"},
		{some, "https://evil.example/?https://example.com/", "https://evil.example/?https://example.com/"},
		{some, "https://example.com@evil.example/", "https://example.com@evil.example/"},
		{nil, "https://example.com", "https://example.com"},
	} {
		if got := c.tag.Add(c.link); got != c.want {
			t.Errorf("%s becomes %s, want %s", c.link, got, c.want)
		}
		if again := c.tag.Add(c.want); again != c.want {
			t.Errorf("%s becomes %s the second time", c.want, again)
		}
	}
}

// A Message decides whether its links get parameters, or leaves it to the Account.
func TestWhetherLinksGetParameters(t *testing.T) {
	for _, c := range []struct {
		message, account string
		want             string // "": none
	}{
		{"", "", ""}, {"", "off", ""}, {"campaign=c", "", ""}, {"off", "on", ""}, {"use=off&source=s", "source=a", ""},
		{"", "use=off&source=a", ""},
		{"", "on", "utm_source=L&utm_medium=email&utm_campaign=C"},
		{"", "source=a&medium=m", "utm_source=a&utm_medium=m&utm_campaign=C"},
		{"campaign=c", "source=a", "utm_source=a&utm_medium=email&utm_campaign=c"},
		{"on", "use=off&source=a", "utm_source=a&utm_medium=email&utm_campaign=C"},
	} {
		message, err := enlist.ParseUTM(c.message)
		if err != nil {
			t.Fatal(err)
		}
		account, err := enlist.ParseUTM(c.account)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if tag := message.Tag(account, "L", "C", nil); tag != nil {
			got = tag.String()
		}
		if got != c.want {
			t.Errorf("the Message %q of the Account %q has %q, want %q", c.message, c.account, got, c.want)
		}
		if again, err := enlist.ParseUTM(account.String()); err != nil || again != account {
			t.Errorf("%q is stored as %q and read as %+v, error %v", c.account, account, again, err)
		}
	}
	for _, text := range []string{"yes", "source={{Email}}", "color=red", "source=a&source=b", "domains=localhost", "domains=https://a.example/", "%zz", "use=account",
		"source=" + strings.Repeat("x", 201)} {
		if u, err := enlist.ParseUTM(text); err == nil {
			t.Errorf("%q is read as %+v", text, u)
		}
	}
}

// A link keeps its scheme, host, path and fragment, whatever it is.
func FuzzLinkTag(f *testing.F) {
	tag := enlist.UTM{Use: enlist.UTMOn}.Tag(enlist.UTM{}, "L", "C", nil)
	f.Add("https://example.com/a?b#c")
	f.Fuzz(func(t *testing.T, link string) {
		before, err := url.Parse(link)
		if err != nil {
			return
		}
		after, err := url.Parse(tag.Add(link))
		if err != nil || before.Host != after.Host || before.Path != after.Path || before.Fragment != after.Fragment {
			t.Errorf("%q becomes %q, error %v", link, tag.Add(link), err)
		}
	})
}

func BenchmarkLinkTag(b *testing.B) {
	tag := enlist.UTM{Use: enlist.UTMOn}.Tag(enlist.UTM{}, "News", "May", nil)
	for b.Loop() {
		tag.Add("https://example.com/articles/2026/11/a-long-title?from=mail#comments")
	}
}
