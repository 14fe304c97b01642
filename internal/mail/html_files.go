package mail

import (
	"crypto/subtle"
	"regexp"
	"strconv"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the links to files in the HTML of a mail, and the images that it shows.

// imagePath matches an image whose source is the path of a file.
var imagePath = regexp.MustCompile(`<img src="(` + filePathStart + `(\d+)/[A-Za-z0-9_-]+)"`)

// shownPictures returns HTML with the URLs of images as the mail shows them in place of the paths of their files.
func (d *themedDocument) shownPictures(source string, width int64) string {
	if d.urls.key == nil || !strings.Contains(source, filePathStart) {
		return source
	}
	return imagePath.ReplaceAllStringFunc(source, func(found string) string {
		part := imagePath.FindStringSubmatch(found)
		id, err := strconv.ParseInt(part[2], 10, 64)
		if err != nil || !endsIn(d.urls.file(enlist.FileID(id)), part[1]) {
			return found
		}
		return `<img src="` + d.urls.picture(enlist.FileID(id), width, "") + `"`
	})
}

// endsIn reports whether a URL has a path, in the same time for each path.
func endsIn(url, path string) bool {
	at := len(url) - len(path)
	return at >= 0 && subtle.ConstantTimeCompare([]byte(url[at:]), []byte(path)) == 1
}

// imageSource matches the source of an image in a mail.
var imageSource = regexp.MustCompile(`<img[^>]* src="([^"]*)"`)

// pictures adds the images that a mail shows.
func (c *composer) pictures(shown *messages.ComposedMail) {
	for _, found := range imageSource.FindAllStringSubmatch(shown.HTML, -1) {
		path, isOurs := strings.CutPrefix(found[1], c.publicURL)
		path, query, _ := strings.Cut(path, "?")
		id, isFile := c.key.ReadFilePath(path)
		switch {
		case isOurs && isFile:
			p, ok := c.key.ReadPicture(id, query)
			if !ok {
				p = enlist.Picture{File: id}
			}
			shown.Pictures = append(shown.Pictures, p)
		case !isOurs && !strings.HasPrefix(found[1], "cid:") && !strings.HasPrefix(found[1], "data:"):
			shown.Elsewhere++
		}
	}
}

// A Message can have only the path of a link to a file of this service, such as /f/12/SIGNATURE, so that it does not
// depend on the public URL. decisions.md: 64

// filePath matches the path of a link to a file at the begin of an attribute, of a URL in CSS or Markdown, or of a word.
var filePath = regexp.MustCompile(`(^|["'(=<>\s,;])(` + filePathStart + `(\d+)/[A-Za-z0-9_-]+)`)

// filePathStart is in each text with a path. Looking for it takes a hundredth of the time of the regular expression.
const filePathStart = "/" + string(enlist.LinkFile) + "/"

// completeFileLinks returns a text with the URLs of files in place of their paths. A path with a wrong signature stays
// as it is: authors must not get the links of files that they do not know.
func completeFileLinks(text string, at urls) string {
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
		url := at.file(enlist.FileID(id))
		if !endsIn(url, path) {
			return found
		}
		return before + url
	})
}
