package mail

import (
	"html"
	"slices"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/messages/merge"
)

// This file inserts the values of a Contact into a compiled Message. It escapes each
// value for the text part, for HTML, or for a link.

// rendering inserts the values of one Contact into a Message.
type rendering struct {
	mail        *messages.OutgoingMail
	unsubscribe string
	leave       string          // text of the link to unsubscribe at the end
	link        linkTo          // the other links of the mail
	open        string          // URL of the tracking pixel; "" if openings are not tracked
	tracking    string          // URL of the page about the recording of opens and clicks, and
	about       string          // the text of this link at the end; "": the mail is not recorded
	values      merge.Values    // of the Contact
	tag         *enlist.LinkTag // UTM parameters of the author's links; nil: none
	click       trackedLink     // nil if clicks are not tracked
	tooLong     bool            // a part is longer than maxPart, and is incomplete
}

type linkTo func(enlist.LinkKind) string

// trackedLink returns the URL that stands for the link with an index. used is what merge.Template.Used returns of it.
type trackedLink func(i int, used string) string

// maxPart limits a text or HTML part, in bytes. A value can be as long as a request, and
// a Message can contain the same merge field many thousand times.
const maxPart = 8 << 20

// exceeded reports whether rendering must stop because a part is too long.
func (r *rendering) exceeded(b *strings.Builder) bool {
	r.tooLong = r.tooLong || b.Len() > maxPart
	return r.tooLong
}

// value returns the value of a merge field in the text part or the HTML part.
func (r *rendering) value(name string) string {
	switch name {
	case merge.UnsubscribeURL:
		return r.unsubscribe
	case merge.ConfirmURL:
		return r.link(enlist.LinkConfirm)
	case merge.PreferencesURL:
		return r.link(enlist.LinkPreferences)
	case merge.WebVersionURL:
		return r.link(enlist.LinkMail)
	case merge.TrackingURL:
		return r.link(enlist.LinkTracking)
	case merge.TrackingAgreeURL:
		return r.choice(enlist.TrackingGranted)
	case merge.TrackingRefuseURL:
		return r.choice(enlist.TrackingDenied)
	}
	return r.contactValue(name)
}

// choice returns the link to the page about the recording of opens and clicks, with a decision in front.
func (r *rendering) choice(c enlist.TrackingConsent) string {
	link := r.link(enlist.LinkTracking)
	if r.mail.Archived {
		return link // that of no one person
	}
	return link + "?" + enlist.TrackingChoice + "=" + c.String()
}

// contactValue returns the value of a merge field in a subject. It returns "" for links. The service
// stores and shows subjects, so a subject must not contain these links, which work without a password.
func (r *rendering) contactValue(name string) string {
	if merge.IsLink(name) {
		return ""
	}
	return r.values(name)
}

func (r *rendering) subject(t *compiled) string {
	var b strings.Builder
	for i := range t.subject {
		if b.Len() > maxPart {
			break // oneLine cuts the rest in any case
		}
		b.WriteString(t.subject[i].Value(r.contactValue))
	}
	return oneLine(b.String())
}

// noLink replaces a link in HTML if a value makes the link unsafe.
const noLink = "#"

// text returns the text part. At its end, text adds who sends the mail, and a link to unsubscribe and, in a mail that is
// recorded, one to the page about this, unless the Message already has the link.
func (r *rendering) text(t *compiled) string {
	var b strings.Builder
	for i := range t.text.pieces {
		if r.exceeded(&b) {
			return ""
		}
		m := &t.text.pieces[i]
		switch {
		case m.isFixed:
			b.WriteString(m.before)
			b.WriteString(r.tagged(m.Template[0].Text, m.isAuthors))
			b.WriteString(m.after)
			continue
		case m.link:
			if link, ok := m.URL(r.value); ok {
				b.WriteString(m.before + r.tagged(link, m.isAuthors) + m.after)
				continue
			}
			// Leave an unsafe link out. But if the link begins with a merge field, write
			// its value as text, for example "www.example.com".
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
	end := slices.Clone(t.sender)
	if !t.text.unsubscribe && r.unsubscribe != "" {
		end = append(end, r.leave+": "+r.unsubscribe)
	}
	if !t.text.tracking && r.tracking != "" {
		end = append(end, r.about+": "+r.tracking)
	}
	if len(end) == 0 {
		return text
	}
	// Mail programs read a line "-- " as the end of the text. RFC 3676, 4.3
	return text + "\n-- \n" + strings.Join(end, "\n") + "\n"
}

// tagged returns a link of the text part. A tracked link leads to the same URL: see sending.LinkURL.
func (r *rendering) tagged(link string, isAuthors bool) string {
	if r.tag == nil || !isAuthors {
		return link
	}
	return r.tag.Add(link)
}

func (r *rendering) html(t *compiled) string {
	var b strings.Builder
	b.Grow(len(t.source.HTML) + len(t.source.Text) + len(t.source.Blocks) + 4096)
	for i := range t.html.parts {
		if r.exceeded(&b) {
			return ""
		}
		if i == t.html.end {
			r.bodyEnd(&b, t)
		}
		r.part(&b, &t.html.parts[i])
	}
	if r.exceeded(&b) {
		return ""
	}
	if t.html.end == len(t.html.parts) {
		r.bodyEnd(&b, t)
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
			link = r.click(p.track, p.link.Used(r.values))
		case p.track >= 0:
			link = r.tag.Add(link)
		}
		b.WriteString(html.EscapeString(link))
	default:
		b.WriteString(p.html)
	}
}

// bodyEnd appends the end of the body: who sends the mail, the links that text adds, and the tracking pixel, if openings
// are tracked.
func (r *rendering) bodyEnd(b *strings.Builder, t *compiled) {
	var end []string
	// Its own colours can be read on every ground of the author, whose rules must not change one of them.
	link := ` style="color: #1f4e8c !important;"`
	style := "margin: 24px 0 0; padding: 12px; border-top: 1px solid #c9ced6; font: 13px/1.5 sans-serif; " +
		"background: #ffffff !important; color: #4a4f57 !important; "
	if t.second != "" { // the cell of html_theme.go has the font
		link, style = ` style="color: `+t.second+`;"`, "margin: 0; "
	}
	for _, line := range t.sender {
		end = append(end, html.EscapeString(line))
	}
	add := func(url, text string) {
		end = append(end, `<a href="`+html.EscapeString(url)+`"`+link+`>`+html.EscapeString(text)+"</a>")
	}
	if !t.html.unsubscribe && r.unsubscribe != "" {
		add(r.unsubscribe, r.leave)
	}
	if !t.html.tracking && r.tracking != "" {
		add(r.tracking, r.about)
	}
	if len(end) > 0 {
		b.WriteString(`<p dir="auto" style="` + style + `text-align: center;">` + strings.Join(end, "<br>\n") + "</p>\n")
	}
	if r.open != "" {
		b.WriteString(`<img src="` + html.EscapeString(r.open) +
			`" width="1" height="1" alt="" style="display: block;">` + "\n")
	}
}
