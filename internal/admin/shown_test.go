package admin_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// This file reads a page as a user does: by its texts, and by its controls with their labels and values.

// shown returns what a page shows, in words:
//
//	# May                        a heading
//	[Lists](/admin/lists)        a link; [Lists](/admin/lists)* is the one of the menu for this page
//	<Send now>(/admin/sends)     a button, and where it posts its form
//	Name: "May"                  an input with its label and its value; Name*: one that has to have a value
//	Zone: "UTC" of "UTC", "…"    a menu with its choices
//	[x] Opens, [ ] Clicks        boxes that are ticked or not; (x) and (_) for one of several
//	Name: "" !Write a name.      what is wrong with an input
//	(image May), (frame /s/1)    a picture with its text, a page in the page
//	(chart 2 mails; 3 mails;)    a chart with the titles of its parts
//
// Cells are separated by |. Everything else is text, with one space between words.
func shown(page string) string {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return err.Error()
	}
	s := &reader{labels: make(map[string]string), byID: make(map[string]*html.Node)}
	s.find(root)
	s.read(root)
	return s.text()
}

// reader reads a page.
type reader struct {
	words  []string
	form   string            // the path to which the form posts
	labels map[string]string // by the ID of the control
	byID   map[string]*html.Node
}

// text returns what was read, with one space between words, and none before a punctuation mark.
func (s *reader) text() string {
	return beforeMark.ReplaceAllString(strings.Join(strings.Fields(strings.Join(s.words, "")), " "), "$1")
}

var beforeMark = regexp.MustCompile(` ([.,:;?)])`)

// find sets the elements with an ID.
func (s *reader) find(n *html.Node) {
	if id := attribute(n, "id"); id != "" {
		s.byID[id] = n
	}
	if n.Data == "label" {
		s.labels[attribute(n, "for")] = textIn(n)
	}
	for c := range n.ChildNodes() {
		s.find(c)
	}
}

func (s *reader) add(text string) { s.words = append(s.words, text) }

func (s *reader) read(n *html.Node) {
	if n.Type == html.TextNode {
		s.add(n.Data)
		return
	}
	if hidden := attribute(n, "type") == "hidden" || isSet(n, "hidden"); hidden || n.Type == html.ElementNode && n.Data == "head" {
		return
	}
	switch n.Data {
	case "script", "style", "template", "noscript", "option":
	case "a":
		s.add(" [" + s.within(n) + "](" + attribute(n, "href") + ")")
		if attribute(n, "aria-current") == "page" {
			s.add("*")
		}
		s.add(" ")
	case "button":
		name := s.within(n)
		if len(name) <= len("✕") { // a sign, which a screen reader reads by another name
			name = cmp.Or(attribute(n, "aria-label"), name)
		}
		s.add(" <" + name + ">")
		if to := cmp.Or(attribute(n, "formaction"), s.form); to != "" {
			s.add("(" + to + ")")
		}
		s.add(" ")
	case "form":
		if attribute(n, "method") == "post" {
			s.form = attribute(n, "action")
		}
		s.add(" ")
		s.children(n)
		s.add(" ")
		s.form = ""
	case "h1", "h2", "h3", "summary":
		s.add(" # " + s.within(n) + " ")
	case "label":
		s.label(n)
	case "input", "select", "textarea":
		s.control(n, "")
	case "img":
		s.add(" (image " + attribute(n, "alt") + ") ")
	case "iframe":
		s.add(" (frame " + attribute(n, "src") + ") ")
	case "svg":
		s.add(" (chart")
		for d := range n.Descendants() {
			if d.Data == "title" {
				s.add(" " + textOfAll(d) + ";")
			}
		}
		s.add(") ")
	case "td", "th":
		s.children(n)
		s.add(" | ")
	default:
		s.add(" ")
		s.children(n)
		s.add(" ")
	}
}

func (s *reader) children(n *html.Node) {
	for c := range n.ChildNodes() {
		s.read(c)
	}
}

// within returns what an element shows.
func (s *reader) within(n *html.Node) string {
	of := &reader{labels: s.labels, byID: s.byID}
	of.children(n)
	return of.text()
}

// label reads a label with the control in it, or a text.
func (s *reader) label(n *html.Node) {
	controls := controlsIn(n)
	if len(controls) == 0 {
		if attribute(n, "for") == "" { // otherwise its control shows it
			s.children(n)
		}
		return
	}
	s.control(controls[0], textIn(n))
}

// controlsIn returns the controls in an element.
func controlsIn(n *html.Node) (all []*html.Node) {
	for d := range n.Descendants() {
		if d.Data == "select" || d.Data == "textarea" || d.Data == "input" && attribute(d, "type") != "hidden" {
			all = append(all, d)
		}
	}
	return all
}

// control reads an input with its label.
func (s *reader) control(n *html.Node, label string) {
	if id := attribute(n, "id"); label == "" && id != "" {
		label = s.labels[id]
	}
	label = cmp.Or(label, attribute(n, "aria-label"), attribute(n, "placeholder"))
	if isSet(n, "required") {
		label += "*"
	}
	switch kind := attribute(n, "type"); {
	case n.Data == "input" && (kind == "checkbox" || kind == "radio"):
		mark := map[string]string{"checkbox true": "[x]", "checkbox false": "[ ]", "radio true": "(x)", "radio false": "(_)"}
		is := "false"
		if isSet(n, "checked") {
			is = "true"
		}
		s.add(" " + mark[kind+" "+is] + " " + label + " ")
	case n.Data == "select":
		s.menu(n, label)
	case n.Data == "textarea":
		s.add(" " + label + ": \"" + textOfAll(n) + "\" ")
	default:
		s.add(" " + label + ": \"" + attribute(n, "value") + "\" ")
	}
	for id := range strings.FieldsSeq(attribute(n, "aria-describedby")) {
		if strings.HasPrefix(id, "wrong-") && s.byID[id] != nil {
			s.add("!" + textOfAll(s.byID[id]) + " ")
		}
	}
}

// menu reads a menu with its choices. The first one is chosen if none says so, as in a browser.
func (s *reader) menu(n *html.Node, label string) {
	var choices []string
	chosen := ""
	for d := range n.Descendants() {
		if d.Data == "option" {
			text := textOfAll(d)
			if choices = append(choices, `"`+text+`"`); isSet(d, "selected") || len(choices) == 1 {
				chosen = text
			}
		}
	}
	s.add(" " + label + ": \"" + chosen + "\" of " + strings.Join(choices, ", ") + " ")
}

// textIn returns the text of a label, without what its control shows and what is wrong with it.
func textIn(n *html.Node) string {
	var b strings.Builder
	var add func(*html.Node)
	add = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(" " + n.Data)
		}
		if n.Data == "select" || n.Data == "textarea" || n.Data == "svg" || strings.HasPrefix(attribute(n, "id"), "wrong-") {
			return
		}
		for c := range n.ChildNodes() {
			add(c)
		}
	}
	add(n)
	return strings.Join(strings.Fields(b.String()), " ")
}

// textOfAll returns all text in an element.
func textOfAll(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// attribute returns the value of an attribute, or "".
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// isSet reports whether an element has an attribute.
func isSet(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}
