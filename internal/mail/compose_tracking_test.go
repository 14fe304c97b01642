package mail

import (
	"strings"
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/messages"
)

// The tests in this file compose mails whose opens and clicks are recorded or not, and those that ask to record them.

const measurable = `<p>Dear {{First Name}}, read <a href="https://example.com/new">what is new</a>.</p>`

// policed returns a mail of a List with a policy for a Contact with a decision.
func policed(policy enlist.TrackingPolicy, consent enlist.TrackingConsent, m *messages.Message) *messages.OutgoingMail {
	l := testMail(m)
	l.Schema.List.TrackOpens, l.Schema.List.TrackClicks, l.Schema.TrackingPolicy = true, true, policy
	l.Contact.TrackingConsent = consent
	return l
}

const (
	about   = "Tracking of opens and clicks"
	page    = "https://mail.example.org/t/12-345-1767225600-a7/"
	agree   = "?choice=granted"
	refuse  = "?choice=denied"
	pixelAt = "https://mail.example.org/o/"
	clickAt = "https://mail.example.org/k/"
)

// covers: decision 160, spec message.tracking
func TestARecordedMailLinksThePageAboutIt(t *testing.T) {
	c, _ := testComposer(t)
	for _, p := range []struct {
		policy   enlist.TrackingPolicy
		consent  enlist.TrackingConsent
		recorded bool
	}{{enlist.TrackNobody, enlist.TrackingGranted, false}, {enlist.TrackWhoAgreed, enlist.TrackingGranted, true},
		{enlist.TrackWhoAgreed, enlist.TrackingUnknown, false}, {enlist.TrackUnlessDenied, enlist.TrackingUnknown, true},
		{enlist.TrackUnlessDenied, enlist.TrackingDenied, false}} {
		t.Run(string(p.policy)+" "+p.consent.String(), func(t *testing.T) {
			l := policed(p.policy, p.consent, &messages.Message{EmailType: messages.EmailHTML, Subject: "News", HTML: measurable})
			r := send(t, c, l)
			keep(t, "tracking-"+string(p.policy)+"-"+p.consent.String(), r)
			if !p.recorded {
				lacks(t, "html", r.html, pixelAt, clickAt, page, about)
				lacks(t, "text", r.text, page, about)
				contains(t, "html", r.html, `href="https://example.com/new"`, "/u/12-345")
				return
			}
			contains(t, "html", r.html, pixelAt, clickAt, `<a href="`+page, ">"+about+"</a>")
			contains(t, "text", r.text, "\n"+about+": "+page)
			l.Contact.Language = "fr"
			contains(t, "text", send(t, c, l).text, "Mesure des ouvertures et des clics: "+page)

			l.Message = &messages.Message{ID: 10, Type: messages.MessageEmail, EmailType: messages.EmailHTML, Subject: "News",
				HTML: measurable + `<a href="{{tracking_url}}">What we measure</a>`}
			r = send(t, c, l)
			contains(t, "html", r.html, pixelAt, `<a href="`+page)
			contains(t, "text", r.text, "What we measure <"+page)
			lacks(t, "html", r.html, "Mesure")
			lacks(t, "text", r.text, "Mesure")
		})
	}
	plain := policed(enlist.TrackUnlessDenied, 0, &messages.Message{EmailType: messages.EmailPlain, Subject: "News", Text: "See https://example.com/"})
	lacks(t, "text of a mail without HTML", send(t, c, plain).text, page, about)
	trial := testMail(&messages.Message{EmailType: messages.EmailHTML, Subject: "News", HTML: measurable})
	trial.Recorded = true
	r := send(t, c, trial)
	contains(t, "html of a trial", r.html, page, about)
	lacks(t, "html of a trial", r.html, pixelAt, clickAt)
}

// The link at the end has the title of the page in each language, and a mail can be composed in all.
//
// covers: decision 160, spec message.tracking
func TestTheLinkAboutRecordingIsInEachLanguage(t *testing.T) {
	c, _ := testComposer(t)
	seen := make(map[string]bool)
	for _, code := range language.Codes() {
		l := policed(enlist.TrackUnlessDenied, 0, &messages.Message{EmailType: messages.EmailHTML, Subject: "News", HTML: measurable})
		l.Contact.Language = code
		title := language.New().For(code, "").Text("web.tracking.title")
		contains(t, "text in "+code, send(t, c, l).text, title+": "+page)
		seen[title] = true
	}
	if len(seen) != 9 {
		t.Errorf("the titles are %v, want one for each of nine languages", seen)
	}
}

// A mail that asks is never recorded itself, also of people who have agreed. Its links lead to the same page.
//
// covers: decision 160, spec merge.tracking, merge.tracking_choice
func TestAMailThatAsksIsNotRecorded(t *testing.T) {
	c, _ := testComposer(t)
	const links = `<a href="{{tracking_agree_url}}">Yes</a> <a href="{{ tracking_refuse_url }}">No</a> {{tracking_url}}`
	for name, m := range map[string]*messages.Message{
		"html":     {EmailType: messages.EmailHTML, Subject: "May we? {{tracking_agree_url}}", HTML: measurable + links},
		"markdown": {EmailType: messages.EmailMarkdown, Subject: "May we?", Text: "[New](https://example.com/new) [Yes]({{tracking_agree_url}}) [No]({{tracking_refuse_url}})"},
		"blocks": {EmailType: messages.EmailBlocks, Subject: "May we?", Blocks: `[{"type":"columns","left":[{"type":"button","text":"Yes","link":"{{tracking_agree_url}}"}],` +
			`"right":[{"type":"button","text":"No","link":"{{tracking_refuse_url}}"}]},{"type":"text","text":"[New](https://example.com/new)"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			l := policed(enlist.TrackUnlessDenied, enlist.TrackingGranted, m)
			r := send(t, c, l)
			keep(t, "asks-"+name, r)
			lacks(t, "html", r.html, pixelAt, clickAt, about)
			contains(t, "html", r.html, `href="`+page, agree, refuse, `href="https://example.com/new"`)
			contains(t, "text", r.text, page, agree, refuse)
			lacks(t, "subject", r.subject(t), "http")

			l.Archived = true
			shown := send(t, c, l)
			for _, part := range []string{shown.html, shown.text} {
				lacks(t, "archive", part, "/t/12", "choice=", pixelAt, clickAt)
				contains(t, "archive", part, "/w/12-345-1767225600-a7/", "?link")
			}
		})
	}
	only := &messages.Message{EmailType: messages.EmailHTML, Subject: "News", HTML: `<a href="{{tracking_url}}">x</a>`, Text: "{{First Name}} tracking_agree_url"}
	if messages.AsksForTracking(only) {
		t.Error("a Message with the link to the page alone asks")
	}
	if r := send(t, c, policed(enlist.TrackUnlessDenied, 0, only)); !strings.Contains(r.html, pixelAt) {
		t.Errorf("a mail with the link to the page alone is not recorded: %s", r.html)
	}
}
