package messages

import (
	"regexp"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file compares two texts of a Message.

// part is a part of a text that both have, or only the earlier or the later one.
type part struct {
	Text             string
	Removed, Written bool
}

// difference is a text of a Message that is not the same in two versions of it.
type difference struct {
	Name  string // key of the catalogue
	Parts []part
}

// compared is what differs between two versions of a Message.
type compared struct {
	Texts    []difference
	Pictures []pictures
}

// pictures are those that only the earlier or the later version has.
type pictures struct {
	Name string // key of the catalogue
	All  []shownPicture
}

// shownPicture is a picture of a Message. Path is where the pages show it, or "": they load nothing from elsewhere.
type shownPicture struct{ Path, URL, Alt string }

// IsSame reports whether nothing differs.
func (c compared) IsSame() bool { return c.Texts == nil && c.Pictures == nil }

// namesOfTexts are the texts of a Message besides its content, by their keys.
var namesOfTexts = []struct{ key, name string }{{"subject", "messages.subject"}, {"name", "messages.name"},
	{"from_name", "messages.from_name"}, {"from_address", "messages.from_address"}, {"reply_to", "messages.replies_go"},
	{"postal_address", "messages.postal_address"}, {"email_type", "messages.kind"}, {"other_subjects", "messages.other_subjects"},
	{"attachments", "messages.attachments"}, {"inline_images", "messages.inline_images"}}

// compare returns what a later version of a Message changes in an earlier one.
func compare(earlier, later *messages.Message) (c compared) {
	add := func(name, before, after string) {
		if before != after {
			c.Texts = append(c.Texts, difference{name, differ(before, after)})
		}
	}
	for _, of := range namesOfTexts {
		i := slices.IndexFunc(messages.WholeMessageAttributes, func(a enlist.Attribute[messages.Message]) bool {
			return a.Name == of.key
		})
		get := messages.WholeMessageAttributes[i].Get
		add(of.name, get(earlier).Text, get(later).Text)
	}
	add("messages.utm", utmWords(earlier), utmWords(later))
	before, picturesBefore := earlier.Words()
	after, picturesAfter := later.Words()
	add("messages.content_label", before, after)
	c.without("messages.pictures_gone", picturesBefore, picturesAfter)
	c.without("messages.pictures_added", picturesAfter, picturesBefore)
	return c
}

// utmWords returns the UTM parameters of a Message as lines.
func utmWords(m *messages.Message) string {
	var lines []string
	u := m.OwnUTM()
	for i := range enlist.UTMAttributes {
		a := &enlist.UTMAttributes[i]
		if text := a.Get(&u).Text; text != "" && u != (enlist.UTM{}) {
			lines = append(lines, a.Name+": "+text)
		}
	}
	return strings.Join(lines, "\n")
}

// without adds the pictures of a version that another one does not have.
func (c *compared) without(name string, all, other []messages.Picture) {
	only := pictures{Name: name}
	for _, p := range all {
		if slices.Contains(other, p) {
			continue
		}
		shown := shownPicture{URL: p.URL, Alt: p.Alt}
		if p.File != "" {
			shown.Path = "/admin/images/" + p.File
		}
		only.All = append(only.All, shown)
	}
	if only.All != nil {
		c.Pictures = append(c.Pictures, only)
	}
}

// word matches a word with the space after it.
var word = regexp.MustCompile(`\S+\s*|\s+`)

// differ compares two texts, first by their lines, and then by the words of the lines that differ.
func differ(before, after string) (parts []part) {
	add := func(text string, removed, written bool) {
		last := len(parts) - 1
		switch {
		case text == "":
		case last >= 0 && parts[last].Removed == removed && parts[last].Written == written:
			parts[last].Text += text
		default:
			parts = append(parts, part{text, removed, written})
		}
	}
	aligned(strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n"), func(a, b []string, same bool) {
		if same {
			add(strings.Join(a, ""), false, false)
			return
		}
		words := func(lines []string) []string { return word.FindAllString(strings.Join(lines, ""), -1) }
		aligned(words(a), words(b), func(a, b []string, same bool) {
			if same {
				add(strings.Join(a, ""), false, false)
				return
			}
			add(strings.Join(a, ""), true, false)
			add(strings.Join(b, ""), false, true)
		})
	})
	return parts
}

// maxTable is the largest number of pairs that aligned compares. More are no longer aligned.
const maxTable = 1 << 20

// aligned calls each for stretches of two lists: those that both have (a and b are the same), and those between them. It
// finds a longest common subsequence.
func aligned(a, b []string, each func(a, b []string, same bool)) {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	if start > 0 {
		each(a[:start], b[:start], true)
	}
	alignMiddle(a[start:len(a)-end], b[start:len(b)-end], each)
	if end > 0 {
		each(a[len(a)-end:], b[len(b)-end:], true)
	}
}

func alignMiddle(a, b []string, each func(a, b []string, same bool)) {
	if len(a) == 0 || len(b) == 0 || len(a)*len(b) > maxTable {
		if len(a)+len(b) > 0 {
			each(a, b, false)
		}
		return
	}
	width := len(b) + 1
	longest := make([]int32, (len(a)+1)*width) // of the rest of a and b
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			at := i*width + j
			if a[i] == b[j] {
				longest[at] = longest[at+width+1] + 1
			} else {
				longest[at] = max(longest[at+width], longest[at+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		fromA, fromB := i, j
		for i < len(a) && j < len(b) && a[i] == b[j] {
			i, j = i+1, j+1
		}
		if i > fromA {
			each(a[fromA:i], b[fromB:j], true)
		}
		fromA, fromB = i, j
		for i < len(a) && (j == len(b) || a[i] != b[j]) || j < len(b) && (i == len(a) || a[i] != b[j]) {
			if j == len(b) || i < len(a) && longest[(i+1)*width+j] >= longest[i*width+j+1] {
				i++
			} else {
				j++
			}
		}
		if i > fromA || j > fromB {
			each(a[fromA:i], b[fromB:j], false)
		}
	}
}

// whenWho returns a time and who did something then, as the pages of versions say it.
func whenWho(r *ui.Request, v *messages.Version) string {
	if v.UserName == "" {
		return r.Date(v.Time)
	}
	return r.Text("messages.when_who", "time", r.Date(v.Time), "who", v.UserName)
}
