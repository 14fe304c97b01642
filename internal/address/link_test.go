package address

import "testing"

// covers: decision 48
func TestLinksHaveTheirHostInASCII(t *testing.T) {
	for link, want := range map[string]string{
		"https://bücher.example/a?b=c#d":         "https://xn--bcher-kva.example/a?b=c#d",
		"https://B%C3%BCcher.example:8443/ä?q=ü": "https://xn--bcher-kva.example:8443/%C3%A4?q=ü",
		"https://user@例え.テスト":                    "https://user@xn--r8jz45g.xn--zckzah",
		"https://💩.example/%2F":                  "https://xn--ls8h.example/%2F",
		"https://example.com/ä b":                "https://example.com/ä b",
		"https://[::1]/ä":                        "https://[::1]/ä",
		"not a link":                             "not a link",
		"https://%zz/ü":                          "https://%zz/ü",
	} {
		if got := ASCIILink(link); got != want {
			t.Errorf("%q becomes %q, want %q", link, got, want)
		}
	}
}
