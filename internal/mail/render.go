package mail

import (
	"html"
	"strings"

	"enlist/internal/audience"
)

// rendering merges a Message with one Contact.
type rendering struct {
	letter      *audience.OutgoingMail
	unsubscribe string
	confirm     string
	open        string           // URL of the image that says the mail was opened; "": none
	click       func(int) string // URL in place of a link; nil: links stay as they are
	tooLong     bool             // a part is longer than maxPart, and has no end
}

// maxPart bounds what the values of a Contact may make of a part, in bytes: each
// can be as long as a request and stand in a Message many thousand times.
const maxPart = 8 << 20

func (r *rendering) ends(b *strings.Builder) bool {
	r.tooLong = r.tooLong || b.Len() > maxPart
	return r.tooLong
}

// value returns what a merge field comes to in a body.
func (r *rendering) value(name string) string {
	switch name {
	case fieldUnsubscribe:
		return r.unsubscribe
	case fieldConfirm:
		return r.confirm
	}
	return r.contactValue(name)
}

func (r *rendering) contactValue(name string) string {
	if name == fieldUnsubscribe || name == fieldConfirm {
		return "" // a subject is shown, and kept: no place for a link that works
	}
	value, _ := r.letter.Schema.MergeValue(r.letter.Contact, name)
	return plain(value)
}

func (r *rendering) subject(t *compiled) string {
	var b strings.Builder
	for i := range t.subject {
		if b.Len() > maxPart {
			break // it is cut off anyway
		}
		b.WriteString(t.subject[i].Value(r.contactValue))
	}
	return oneLine(b.String())
}

// noLink stands in HTML in place of a link that a value made impossible.
const noLink = "#"

func (r *rendering) text(t *compiled) string {
	var b strings.Builder
	for i := range t.text.pieces {
		if r.ends(&b) {
			return ""
		}
		m := &t.text.pieces[i]
		if m.link {
			if link, ok := m.URL(r.value); ok {
				b.WriteString(m.before + link + m.after)
				continue
			}
			// A value that is what the link says, such as "www.example.com", is text.
			if m.before != "" || m.Template[0].Name == "" {
				continue
			}
		}
		for j := range m.Template {
			if r.ends(&b) {
				return ""
			}
			b.WriteString(m.Template[j].Value(r.value))
		}
	}
	if r.ends(&b) {
		return ""
	}
	text := strings.TrimRight(b.String(), " \n") + "\n"
	if t.text.unsubscribe {
		return text
	}
	// A line "-- " is what mail programs take for the end of what was written.
	return text + "\n-- \nUnsubscribe from " + oneLine(r.letter.Schema.List.Name) + ": " + r.unsubscribe + "\n"
}

func (r *rendering) html(t *compiled) string {
	var b strings.Builder
	b.Grow(len(t.of.HTML) + len(t.of.Text) + 2048)
	for i := range t.html.parts {
		if r.ends(&b) {
			return ""
		}
		if i == t.html.end {
			r.bodyEnd(&b, t.html)
		}
		r.part(&b, &t.html.parts[i])
	}
	if r.ends(&b) {
		return ""
	}
	if t.html.end == len(t.html.parts) {
		r.bodyEnd(&b, t.html)
	}
	return b.String()
}

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

// bodyEnd writes what is added to a body.
func (r *rendering) bodyEnd(b *strings.Builder, t *htmlTemplate) {
	if !t.unsubscribe {
		b.WriteString(`<p dir="auto" style="margin: 24px 0 0; padding: 12px 0 0; border-top: 1px solid #c9ced6; font: 13px/1.5 sans-serif; text-align: center;">` +
			`<a href="` + html.EscapeString(r.unsubscribe) + `">Unsubscribe from ` + html.EscapeString(oneLine(r.letter.Schema.List.Name)) + "</a></p>\n")
	}
	if r.open != "" {
		b.WriteString(`<img src="` + html.EscapeString(r.open) + `" width="1" height="1" alt="" style="display: block;">` + "\n")
	}
}
