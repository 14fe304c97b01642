package mail

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

// This file refuses HTML that would need much time and memory. The HTML parser compares the attributes of elements with
// each other, and for each further tag <html> or <body> it copies their attributes.

const (
	maxAttributePairs = 4_000_000 // sum of the squares of the numbers of attributes of all tags
	maxRootTags       = 100       // <html> and <body>
)

var (
	errAttributes = errors.New("the HTML has too many attributes: one element may have up to 2,000, and most have " +
		"fewer than 10; export it again, or remove them")
	errRootTags = fmt.Errorf("the HTML has more than %d tags <html> or <body>: leave one of each", maxRootTags)
)

// checkHTML returns an error that says what the author can do.
func checkHTML(source string) error {
	pairs, roots := 0, 0
	for z := html.NewTokenizer(strings.NewReader(source)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return nil
		case html.StartTagToken, html.SelfClosingTagToken:
		default:
			continue
		}
		name, more := z.TagName()
		if string(name) == "html" || string(name) == "body" {
			roots++
		}
		attributes := 0
		for more {
			_, _, more = z.TagAttr()
			attributes++
		}
		pairs += attributes * attributes
		switch {
		case pairs > maxAttributePairs:
			return errAttributes
		case roots > maxRootTags:
			return errRootTags
		}
	}
}
