package mail

import (
	"crypto/subtle"
	"regexp"
	"strconv"
	"strings"

	"enlist/internal/enlist"
)

// This file completes the links to files of this service. A Message can have only the path of a link, such as
// /f/12/SIGNATURE, so that it does not depend on the public URL. decisions.md: 64

// filePath matches the path of a link to a file at the begin of an attribute, of a URL in CSS or Markdown, or of a word.
var filePath = regexp.MustCompile(`(^|["'(=<>\s,;])(` + filePathStart + `(\d+)/[A-Za-z0-9_-]+)`)

// filePathStart is in each text with a path. Looking for it takes a hundredth of the time of the regular expression.
const filePathStart = "/" + string(enlist.LinkFile) + "/"

// completeFileLinks returns a text with the URLs of files in place of their paths. A path with a wrong signature stays
// as it is: authors must not get the links of files that they do not know.
func completeFileLinks(text string, fileURL func(enlist.FileID) string) string {
	if !strings.Contains(text, filePathStart) {
		return text
	}
	return filePath.ReplaceAllStringFunc(text, func(found string) string {
		part := filePath.FindStringSubmatch(found)
		before, path := part[1], part[2]
		id, err := strconv.ParseInt(part[3], 10, 64)
		if err != nil {
			return found
		}
		url := fileURL(enlist.FileID(id))
		if at := len(url) - len(path); at < 0 || subtle.ConstantTimeCompare([]byte(url[at:]), []byte(path)) == 0 {
			return found
		}
		return before + url
	})
}
