package mail

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/mail"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/messages/merge"

	"golang.org/x/net/html"
)

// This file composes a mail that is not sent, and finds what is probably wrong with it. Packages
// messages and batches find merge fields without a value. reference.md: batch.check

const (
	// maxFindings is the largest number of findings about one mail.
	maxFindings = 50
	// clipAt is the length of HTML in bytes from which Gmail hides the rest, and with it the link to unsubscribe.
	clipAt = 102 << 10
	// endLength is about the length of what the service adds to the HTML: the end, and the tracked links.
	endLength = 2 << 10
)

type contentCheck struct {
	*messages.OutgoingMail
	found    []messages.Finding
	urls     []string // of links to pages of the web, without merge fields
	composer *composer
}

// Check returns what is probably wrong with the content of a mail. It implements messages.Composer.
func (c *composer) Check(ctx context.Context, l *messages.OutgoingMail) ([]messages.Finding, error) {
	k := &contentCheck{OutgoingMail: l, composer: c}
	m := l.Message
	if !m.HasContent() {
		return append(k.found, messages.NoContent()), nil
	}
	if strings.TrimSpace(m.Subject) == "" {
		k.add(messages.FindingWarning, batches.FindingNoSubject, "the Message has no subject")
	}
	t, err := c.templates.get(ctx, m, l.Files)
	if err != nil {
		return nil, err
	}
	if t.refused != nil {
		k.add(messages.FindingError, batches.FindingTooLong, "%s", t.refused.Error())
		return k.found, nil
	}
	if t.html != nil && m.Text == "" && t.text.isEmpty() {
		k.add(messages.FindingWarning, batches.FindingNoText,
			"the HTML has no text, so the text part is empty: write text_content, or texts of images in alt")
	}
	k.links(m, t.document)
	k.examples(m)
	if t.html != nil && !t.html.unsubscribe || t.html == nil && !t.text.unsubscribe {
		k.add(messages.FindingNote, batches.FindingNoUnsubscribe,
			"the Message has no {{unsubscribe_url}}: a line with this link is added at its end")
	}
	k.length(c, t)
	k.images(t.document)
	return k.found, nil
}

func (k *contentCheck) add(level messages.FindingLevel, code messages.FindingCode, format string, args ...any) {
	f := messages.Finding{Level: level, Code: code, Text: fmt.Sprintf(format, args...)}
	if len(k.found) < maxFindings && !slices.Contains(k.found, f) {
		k.found = append(k.found, f)
	}
}

func (t *textTemplate) isEmpty() bool {
	for i := range t.pieces {
		for _, part := range t.pieces[i].Template {
			if part.Name != "" || strings.TrimSpace(part.Text) != "" {
				return false
			}
		}
	}
	return true
}

// length checks the length of the parts, with the longest links that the service inserts.
func (k *contentCheck) length(c *composer, t *compiled) {
	r := c.rendering(k.OutgoingMail)
	r.tag = c.tag(k.OutgoingMail, t)
	k.parameters(r.tag)
	if !k.Message.Asks && k.Schema.TracksOpens(enlist.TrackingGranted) {
		r.open = c.link(enlist.LinkOpen, k.Delivery)
	}
	if !k.Message.Asks && k.Schema.TracksClicks(enlist.TrackingGranted) {
		r.click = c.tracked(k.Delivery, func(i int) enlist.LinkID { return enlist.LinkID(i + 1) })
	}
	if k.Recorded || r.open != "" || r.click != nil {
		c.linkTracking(&r)
	}
	size := 0
	if t.html != nil {
		size = len(r.html(t))
	}
	r.text(t)
	switch {
	case r.tooLong:
		k.add(messages.FindingError, batches.FindingTooLong, "the Contact's values make this email too long")
	case size > clipAt:
		k.add(messages.FindingWarning, batches.FindingClipped,
			"the HTML of the email has %d KB: Gmail shows only the first 102 KB and hides the rest", size>>10)
	}
}

// parameters says what the links get.
func (k *contentCheck) parameters(tag *enlist.LinkTag) {
	if tag == nil {
		return
	}
	if domains := tag.Domains(); domains != nil {
		k.add(messages.FindingNote, batches.FindingParameters, "the links to %s get %s", strings.Join(domains, ", "), tag)
		return
	}
	k.add(messages.FindingNote, batches.FindingParameters, "the links get %s", tag)
}

func (k *contentCheck) links(m *messages.Message, source string) {
	if !isThemed(m) {
		for _, p := range splitText(m.Text) {
			if p.link {
				k.link("link", p.text)
			}
		}
		if m.OnlyText() {
			return
		}
	}
	for z := html.NewTokenizer(strings.NewReader(source)); z.Next() != html.ErrorToken; {
		token := z.Token()
		if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
			continue
		}
		if token.Data == "img" && isWithoutAlt(token.Attr, isThemed(m)) {
			k.add(messages.FindingWarning, batches.FindingNoAlt, "the image %s has no alternative text, which readers "+
				"without images get in its place", shortened(attribute(token.Attr, "src")))
		}
		for _, a := range token.Attr {
			switch {
			case a.Key == "href" && (token.Data == "a" || token.Data == "area"):
				k.link("link", a.Val)
			case a.Key == "src" && token.Data == "img":
				k.link("image", a.Val)
			}
		}
	}
}

// isWithoutAlt reports whether an image has no alternative text. In HTML an empty one says that the image is only an
// ornament; blocks and Markdown write an empty one if the person gave none.
func isWithoutAlt(attributes []html.Attribute, themed bool) bool {
	if slices.ContainsFunc(attributes, func(a html.Attribute) bool { return a.Key == "role" && a.Val == "presentation" }) {
		return false // the author has decided that it is one
	}
	i := slices.IndexFunc(attributes, func(a html.Attribute) bool { return a.Key == "alt" })
	return i < 0 || themed && strings.TrimSpace(attributes[i].Val) == ""
}

// examples looks for texts of a starting template.
func (k *contentCheck) examples(m *messages.Message) {
	const shown = 3
	all := k.composer.exampleTexts(m)
	if len(all) == 0 {
		return
	}
	more := ""
	if len(all) > shown {
		all, more = all[:shown], " and others"
	}
	for i := range all {
		all[i] = shortened(all[i])
	}
	k.add(messages.FindingWarning, batches.FindingExample, "texts of the starting template are left: %s%s",
		strings.Join(all, ", "), more)
}

// link checks the URL of a link or an image. The values of its merge fields are checked when a mail is composed.
func (k *contentCheck) link(what, target string) {
	problem := merge.LinkProblem
	if what == "image" {
		problem = merge.ImageProblem
	}
	if target = strings.TrimSpace(target); what == "link" && isWeb.MatchString(target) && !slices.Contains(k.urls, target) {
		k.urls = append(k.urls, target)
	}
	if why := problem(target); why != "" {
		k.add(messages.FindingWarning, batches.FindingLink, "the %s %s %s", what, shortened(strings.TrimSpace(target)),
			why)
	}
}

// isWeb matches the URL of a page of the web without merge fields.
var isWeb = regexp.MustCompile(`(?i)^https?://[^\s{}]+$`)

// shortened returns a text in quotes, cut at 100 characters.
func shortened(text string) string {
	if all := []rune(text); len(all) > 100 {
		text = string(all[:100]) + "…"
	}
	return strconv.Quote(text)
}

// imageLink matches a link to an inline image.
var imageLink = regexp.MustCompile(`(?i)["'(=]\s*cid:([^"'()<>\s]+)`)

// images checks that the links to inline images and the inline images of the mail are the same.
func (k *contentCheck) images(source string) {
	images := make(map[string]bool)
	for i := range k.Files {
		if k.Files[i].Inline {
			images[k.Files[i].Name] = false
		}
	}
	for _, found := range imageLink.FindAllStringSubmatch(source+k.Message.Text, -1) {
		if _, known := images[found[1]]; !known {
			k.add(messages.FindingWarning, batches.FindingNoImage, "no inline image has the name %s", found[1])
		}
		images[found[1]] = true
	}
	for i := range k.Files {
		if name := k.Files[i].Name; k.Files[i].Inline && !images[name] {
			k.add(messages.FindingWarning, batches.FindingUnusedImage, "the HTML does not show the inline image %s",
				name)
		}
	}
}

// Preview composes a mail in the same way as Send, and returns it. It implements messages.Composer.
func (c *composer) Preview(ctx context.Context, l *messages.OutgoingMail) (*messages.ComposedMail, error) {
	m, subject, err := c.outgoing(ctx, l)
	if err != nil {
		return nil, err
	}
	data := m.encode()
	header, _, _ := bytes.Cut(data[0], []byte("\r\n\r\n"))
	parsed, err := mail.ReadMessage(bytes.NewReader(data[0]))
	if err != nil {
		return nil, fmt.Errorf("read the header of a preview: %w", err)
	}
	shown := &messages.ComposedMail{Subject: subject, From: decoded(parsed.Header, "From"),
		To:      decoded(parsed.Header, "To"),
		ReplyTo: decoded(parsed.Header, "Reply-To"), Headers: string(header), HTML: m.html, Text: m.text,
		Preheader: preheaderOf(l)}
	for _, part := range data {
		shown.Size += int64(len(part))
	}
	c.pictures(shown)
	return shown, nil
}

// preheaderOf returns the text of a mail that is for inboxes.
func preheaderOf(l *messages.OutgoingMail) string {
	if l.Message == nil || l.Message.EmailType != messages.EmailBlocks {
		return ""
	}
	all, err := messages.DecodeBlocks(l.Message.Blocks)
	if err != nil {
		return ""
	}
	i := slices.IndexFunc(all, func(b messages.Block) bool { return b.Type == messages.BlockPreheader && b.Text != "" })
	if i < 0 {
		return ""
	}
	return strings.TrimSpace(messages.MergeText(l.Schema, l.Contact, all[i].Text))
}

func decoded(header mail.Header, field string) string {
	text, err := new(mime.WordDecoder).DecodeHeader(header.Get(field))
	if err != nil {
		return header.Get(field)
	}
	return text
}
