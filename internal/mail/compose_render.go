package mail

import (
	"html"
	"strings"

	"enlist/internal/audience"
)

// This file inserts the values of one Contact into a compiled Message. Every
// value is escaped for its place: text, HTML, or a link.

// rendering merges a Message with one Contact.
type rendering struct {
	mail        *audience.OutgoingMail
	unsubscribe string
	confirm     string
	open        string           // URL of the image that records the opening of the mail; "": none
	click       func(int) string // URL that records a click and leads to the link; nil: links stay as they are
	tooLong     bool             // a part has grown beyond maxPart and is incomplete
}

// maxPart limits a text or HTML part, in bytes. A value can be as long as a
// request, and a Message can contain it many thousand times.
const maxPart = 8 << 20

// exceeded reports whether the rendering must stop because a part is too long.
func (r *rendering) exceeded(b *strings.Builder) bool {
	r.tooLong = r.tooLong || b.Len() > maxPart
	return r.tooLong
}

// value returns the value of a merge field in a body.
func (r *rendering) value(name string) string {
	switch name {
	case fieldUnsubscribe:
		return r.unsubscribe
	case fieldConfirm:
		return r.confirm
	}
	return r.contactValue(name)
}

// contactValue returns the value of a merge field in a subject. Links have none
// there: a subject is shown and stored, and such a link works without a password.
func (r *rendering) contactValue(name string) string {
	if name == fieldUnsubscribe || name == fieldConfirm {
		return ""
	}
	value, _ := r.mail.Schema.MergeValue(r.mail.Contact, name)
	return plain(value)
}

// subject returns the subject in one line.
func (r *rendering) subject(t *compiled) string {
	var b strings.Builder
	for i := range t.subject {
		if b.Len() > maxPart {
			break // oneLine shortens it anyway
		}
		b.WriteString(t.subject[i].Value(r.contactValue))
	}
	return oneLine(b.String())
}

// noLink replaces a link in HTML that a value has made unsafe.
const noLink = "#"

// text returns the text part. It ends with a link to unsubscribe, unless the
// Message has one.
func (r *rendering) text(t *compiled) string {
	var b strings.Builder
	for i := range t.text.pieces {
		if r.exceeded(&b) {
			return ""
		}
		m := &t.text.pieces[i]
		if m.link {
			if link, ok := m.URL(r.value); ok {
				b.WriteString(m.before + link + m.after)
				continue
			}
			// An unsafe link is left out. If its text is only the value, such as
			// "www.example.com", the value is written as text.
			if m.before != "" || m.Template[0].Name == "" {
				continue
			}
		}
		for j := range m.Template {
			if r.exceeded(&b) {
				return ""
			}
			b.WriteString(m.Template[j].Value(r.value))
		}
	}
	if r.exceeded(&b) {
		return ""
	}
	text := strings.TrimRight(b.String(), " \n") + "\n"
	if t.text.unsubscribe {
		return text
	}
	// Mail programs treat a line "-- " as the end of the text (RFC 3676, 4.3).
	return text + "\n-- \nUnsubscribe from " + oneLine(r.mail.Schema.List.Name) + ": " + r.unsubscribe + "\n"
}

// html returns the HTML part.
func (r *rendering) html(t *compiled) string {
	var b strings.Builder
	b.Grow(len(t.source.HTML) + len(t.source.Text) + 2048)
	for i := range t.html.parts {
		if r.exceeded(&b) {
			return ""
		}
		if i == t.html.end {
			r.bodyEnd(&b, t.html)
		}
		r.part(&b, &t.html.parts[i])
	}
	if r.exceeded(&b) {
		return ""
	}
	if t.html.end == len(t.html.parts) {
		r.bodyEnd(&b, t.html)
	}
	return b.String()
}

// part writes one part of the template.
func (r *rendering) part(b *strings.Builder, p *htmlPart) {
	switch {
	case p.field != nil:
		b.WriteString(html.EscapeString(p.field.Value(r.value)))
	case p.link != nil:
		link, ok := p.link.URL(r.value)
		switch {
		case !ok:
			link = noLink
		case r.click != nil && p.track >= 0:
			link = r.click(p.track)
		}
		b.WriteString(html.EscapeString(link))
	default:
		b.WriteString(p.html)
	}
}

// bodyEnd writes the end of the body: a link to unsubscribe, unless the Message has
// one, and the image that records the opening.
func (r *rendering) bodyEnd(b *strings.Builder, t *htmlTemplate) {
	if !t.unsubscribe {
		list := html.EscapeString(oneLine(r.mail.Schema.List.Name))
		b.WriteString(`<p dir="auto" style="margin: 24px 0 0; padding: 12px 0 0; border-top: 1px solid #c9ced6; ` +
			`font: 13px/1.5 sans-serif; text-align: center;">` +
			`<a href="` + html.EscapeString(r.unsubscribe) + `">Unsubscribe from ` + list + "</a></p>\n")
	}
	if r.open != "" {
		b.WriteString(`<img src="` + html.EscapeString(r.open) +
			`" width="1" height="1" alt="" style="display: block;">` + "\n")
	}
}
