package movein

import (
	"html"
	"net/url"
	"path"
	"regexp"
	"strings"

	"enlist/internal/enlist"
)

// This file replaces the links to files of the other service in the texts of Messages. The other service will end, and
// the images of later mails must not end with it.

// fileLinks has the files that have moved, by their links at the other service, and the folders of all links to files.
type fileLinks struct {
	files   map[string]enlist.FileID
	folders map[string]bool
}

func newFileLinks() fileLinks {
	return fileLinks{make(map[string]enlist.FileID), make(map[string]bool)}
}

// textLink matches a link in HTML, CSS, Markdown or plain text, after the character before it. The link can lack its
// scheme, or its scheme and host.
var textLink = regexp.MustCompile(`(^|["'(=<>\s,;])((?:https?:)?/[^\s"'<>{}\\]+)`)

// quoteEntity matches a quote in a style attribute, where a link ends.
var quoteEntity = regexp.MustCompile(`&(?:quot|apos|#34|#39);`)

// linkEnd matches where a link possibly ends before the end of the match: a mark of the text around it. The name of a
// file can have parentheses too.
var linkEnd = regexp.MustCompile(`[),\]]|[.,;:!?]+$|$`)

// add adds the link of a file, also of one that has not moved.
func (l *fileLinks) add(link string, id enlist.FileID, moved bool) {
	name := linkName(link)
	if name == "" {
		return
	}
	l.folders[folderOf(name)] = true
	if !moved {
		return
	}
	l.files[name] = id
	if u, err := url.Parse(name); err == nil { // also without the host: the link can be relative
		l.files[u.Path] = id
	}
}

// folderOf returns a name of linkName without its last part.
func folderOf(name string) string { return name[:strings.LastIndexByte(name, '/')] }

// linkName returns a link in the form in which two spellings of it are equal: without scheme, query and fragment. It
// returns "" for no link.
func linkName(link string) string {
	u, err := url.Parse(html.UnescapeString(link))
	if err != nil || u.Path == "" {
		return ""
	}
	if u.Host == "" {
		return path.Clean(u.Path)
	}
	return (&url.URL{Host: strings.ToLower(u.Host), Path: path.Clean(u.Path)}).String()
}

// replaced returns the record of a Message or a saved block with the paths of links to moved files, which package mail
// completes. It reports links that seem to lead to a file of the other service and are not replaced.
func (l *fileLinks) replaced(kind string, record Record, key *enlist.LinkKey) (_ Record, problems []Problem) {
	reported := make(map[string]bool)
	replace := func(in, text string) string {
		return l.replace(text, key, func(link, reason string) {
			if !reported[link] {
				problems = append(problems, Problem{Record: kind, ID: record.ID(), Key: in,
					Value: beginning(link), Reason: reason})
			}
			reported[link] = true
		})
	}
	for _, name := range []string{"html_content", "text_content"} {
		if text := record.Text(name); text != "" {
			record = record.with(name, enlist.TextInput(replace(name, text)))
		}
	}
	if blocks, ok := blocksOf(record); ok {
		record = record.with("blocks", changed(blocks, func(text string) string { return replace("blocks", text) },
			func(*enlist.Criteria) {}))
	}
	return record, problems
}

// replace returns a text with the paths of moved files. unknown gets each link that is not replaced, with the reason.
func (l *fileLinks) replace(text string, key *enlist.LinkKey, unknown func(link, reason string)) string {
	var b strings.Builder
	from := 0
	for _, quote := range append(quoteEntity.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		b.WriteString(textLink.ReplaceAllStringFunc(text[from:quote[0]], func(found string) string {
			return l.replaceLink(found, key, unknown)
		}))
		b.WriteString(text[quote[0]:quote[1]])
		from = quote[1]
	}
	return b.String()
}

// replaceLink is replace for a match of textLink.
func (l *fileLinks) replaceLink(found string, key *enlist.LinkKey, unknown func(link, reason string)) string {
	part := textLink.FindStringSubmatch(found)
	before, link := part[1], part[2]
	ends := linkEnd.FindAllStringIndex(link, maxLinkEnds)
	for _, end := range ends {
		if id, ok := l.files[linkName(link[:end[0]])]; ok {
			return before + key.FilePath(id) + link[end[0]:]
		}
	}
	link = link[:ends[0][0]]
	if reason := l.suspect(linkName(link)); reason != "" {
		unknown(link, reason)
	}
	return found
}

// maxLinkEnds is the greatest number of ends that are tried of one link. A data: URL or a script can have many.
const maxLinkEnds = 20

// suspect says why a link that is not replaced seems to lead to a file of the other service. It returns "" if the link
// does not.
func (l *fileLinks) suspect(name string) string {
	if name == "" {
		return ""
	}
	if l.folders[folderOf(name)] {
		return "the link leads to the other service, to a file that has not moved: move the file, or edit the Message"
	}
	u, err := url.Parse(name)
	if err != nil || u.Host == "" {
		return ""
	}
	if _, moved := l.files[u.Path]; moved {
		return "a moved file has this path at another host: if the other service had this host before, edit the Message"
	}
	return ""
}
