package merge

import (
	"net/url"
	"slices"
	"strings"
)

// This file says what is wrong with the URL of a link or an image in a Message, before the values of a Contact are
// known. Blocks with such a link are refused; HTML and Markdown get a finding.

// LinkProblem says what is wrong with a link, such as "leads nowhere", or returns "". A link may begin with a merge
// field: URL checks its values in each mail.
func LinkProblem(link string) string {
	link = strings.TrimSpace(link)
	if len(link) > 1 && link[0] == '#' {
		return "" // a place in the mail
	}
	return problemOf(link, allowedScheme)
}

// ImageProblem says what is wrong with the URL of an image, or returns "".
func ImageProblem(source string) string {
	return problemOf(strings.TrimSpace(source), func(scheme string) bool {
		return slices.Contains([]string{"http", "https", "cid", "data"}, scheme)
	})
}

func problemOf(target string, allowed func(scheme string) bool) string {
	m := Parse(target)
	if len(m) > 0 && m[0].Name != "" {
		return ""
	}
	filled := ""
	for i := range m {
		filled += m[i].Value(func(string) string { return "x" })
	}
	if filled == "" || filled == "#" {
		return "leads nowhere"
	}
	u, err := url.Parse(filled)
	switch {
	case err != nil:
		return "is no URL"
	case u.Scheme == "":
		return "is no complete URL: it must begin with https://"
	case !allowed(u.Scheme):
		return "begins with " + u.Scheme + ":, which many mail programs do not open"
	case (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() == "":
		return "has no host"
	case (u.Scheme == "mailto" || u.Scheme == "tel") && u.Opaque == "" && u.RawQuery == "":
		return "has no address"
	}
	return ""
}
