package mail

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
	"enlist/internal/language/languagetest"
	"enlist/internal/messages"
)

// The tests in this file check the content of each kind of mail. compose_fixtures_test.go has
// their fixtures.

// A notification has the Contact's values, the consent and a link to the Contact's page. If the
// Contact was removed, the notification says so.
//
// covers: spec event.notification, decision 46
func TestNotificationShowsTheContactAndTheConsent(t *testing.T) {
	c, _ := testComposer(t)
	m, err := c.notification("77", testNotification())
	if err != nil {
		t.Fatal(err)
	}
	r := read(t, m)
	keep(t, "notification", r)
	if s := r.subject(t); s != "ann@example.com subscribed to News & Views" {
		t.Errorf("the subject is %q, want that ann@example.com subscribed to News & Views", s)
	}
	checkHeaders(t, r, []headerCase{
		{"From", `"News & Views" <lists@example.org>`}, {"To", "<owner@example.org>"}, {"Auto-Submitted", "auto-generated"},
		{"Date", "Thu, 01 Jan 2026 00:00:00 +0000"}, {"List-Id", "<12.list.example.org>"}, {"List-Unsubscribe", ""}, {"User-Agent", ""}, {"X-Mailer", ""},
	})
	link := "https://mail.example.org/n/12-345-1767225600-n/"
	contains(t, "text", r.text, "Subscribed: 1 January 2026, 11:00:00 (UTC+11:00)\n", "\nFirst Name: Ann\n", "\nComment: Hello,\n    I like it.\n",
		"Weekly: yes\n    Offers: no", "Consent: GDPR, 1 January 2026", "IP address: 192.0.2.7", "Consent text: I agree to receive news.", link, "Contact ID: 345")
	contains(t, "html", r.html, ">News &amp; Views<", ">First Name<", "Hello,\nI like it.", `href="`+link, "192.0.2.7", "UTC&#43;11:00")

	gone := testNotification()
	gone.Details, gone.Event = nil, enlist.EventUnsubscribe
	m, err = c.notification("77", gone)
	if err != nil {
		t.Fatal(err)
	}
	if again := read(t, m); again.Get("Message-Id") != r.Get("Message-Id") || !strings.HasSuffix(again.Get("Message-Id"), "@example.org>") {
		t.Errorf("the Message-IDs for the same job are %q and %q, want them equal and at example.org", r.Get("Message-Id"), again.Get("Message-Id"))
	}
	removed := read(t, m)
	contains(t, "text", removed.text, "Contact 345", "has been removed since")
	contains(t, "subject", removed.subject(t), "Contact 345 unsubscribed from")
	lacks(t, "text", removed.text, "ann@", "/n/")

	bad := testNotification()
	bad.Address = "no-address"
	_, err = c.notification("77", bad)
	if u, ok := err.(*messages.Undelivered); !ok || !u.Permanent || !u.Recipient {
		t.Errorf("a notification to an invalid address returned %v, want a permanent failure because of the recipient", err)
	}
}

// A request to confirm has a link to confirm. It has no link to unsubscribe.
//
// covers: spec event.confirm, decision 46
func TestConfirmationHasTheLinkToConfirm(t *testing.T) {
	c, _ := testComposer(t)
	l := testMail(nil)
	l.Delivery.Cause = messages.CauseConfirmation
	r := send(t, c, l)
	keep(t, "confirmation", r)
	link := "https://mail.example.org/c/12-345-1767225600-c/"
	contains(t, "text", r.text, link, "ignore this email")
	if strings.Contains(strings.ReplaceAll(r.text, "\r", ""), "\n\n\n") {
		t.Errorf("the text has two empty lines together, want one: %q", r.text)
	}
	contains(t, "html", r.html, `href="`+link, "ignore this email")
	contains(t, "subject", r.subject(t), "Please confirm: News & Views")
	if r.Get("List-Unsubscribe") != "" || r.Get("Auto-Submitted") != "auto-generated" {
		t.Errorf("the headers are %v, want no List-Unsubscribe, and Auto-Submitted", r.Header)
	}
}

// The List can have a language and texts of its own for a request to confirm. They stay text.
//
// covers: spec list.language, list.consent_text, event.confirm
func TestConfirmationHasTheTextsOfTheList(t *testing.T) {
	c, _ := testComposer(t)
	l := testMail(nil)
	l.Delivery.Cause = messages.CauseConfirmation
	schema := *l.Schema
	schema.List.Language, schema.List.ConsentText, schema.List.Imprint = "de", "Ich möchte <Neues>.", "Gartenverein\nHauptstraße 1"
	l.Schema = &schema
	r := send(t, c, l)
	contains(t, "subject", r.subject(t), "Bitte bestätigen: News & Views")
	contains(t, "text", strings.ReplaceAll(r.text, "\r", ""), "Erst dann erhalten Sie E-Mails.\n\nIch möchte <Neues>.\n\nAnmeldung bestätigen: https://",
		"\n-- \nGartenverein\nHauptstraße 1")
	contains(t, "html", r.html, `<html lang="de">`, "Ich möchte &lt;Neues&gt;.", "white-space: pre-line;\">Gartenverein")
	schema.List.ConfirmSubject, schema.List.ConfirmText = "Noch ein Klick", "Erste Zeile\n\nZweite & letzte"
	r = send(t, c, l)
	contains(t, "subject", r.subject(t), "Noch ein Klick")
	contains(t, "text", strings.ReplaceAll(r.text, "\r", ""), "Erste Zeile\n\nZweite & letzte\n\nIch möchte")
	contains(t, "html", r.html, "Erste Zeile\n\nZweite &amp; letzte")
}

const newsletter = `<!DOCTYPE html>
<html><head><title>{{First Name}}'s news</title><style>
/* all of it */ body { background: #eee; font-family: sans-serif };
.card > p { color: #333; margin: 0 0 1em } a { color: #0645ad } a:hover { color: red }
@media (max-width: 480px) { .card { padding: 8px !important } }
</style></head><body><div class="card" style="padding: 24px; background: white">
<h1>Hello {{First Name|friend}}!</h1>
<p>Have a look at <a href="https://example.com/new?who={{First Name}}&amp;x=1">what is <b>new</b></a>, or write to <a href="mailto:us@example.com">us@example.com</a>.</p>
<p>Your site is <a href="{{Website}}">{{Website}}</a>.</p>
<img src="https://example.com/logo.png" alt="Our logo"><ul><li>one</li><li>two</li></ul>
</div></body></html>`

// The subject, the text part and the HTML part of a mail contain the Contact's values. The style
// sheet is inlined, and the mail has a link to unsubscribe.
//
// covers: decision 46, spec message.unsubscribe, spec message.text, spec message.html, spec merge.list
func TestMessageIsMergedAndInlined(t *testing.T) {
	c, l := testComposer(t)
	message := &messages.Message{EmailType: messages.EmailHTML, Subject: "Hello {{First Name}}", HTML: newsletter + "<p>{{list_name}}</p>", FromName: "Ann's friends", ReplyTo: "reply@example.net"}
	r := send(t, c, testMail(message))
	keep(t, "message", r)
	unsubscribe := "https://mail.example.org/u/12-345-1767225600-a7/"
	checkHeaders(t, r, []headerCase{
		{"From", `"Ann's friends" <lists@example.org>`}, {"To", "<ann@example.com>"}, {"Reply-To", "<reply@example.net>"}, {"Precedence", "bulk"},
		{"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"}, {"Feedback-ID", "a7:l12:a0:" + c.key.SenderID()},
	})
	contains(t, "List-Unsubscribe", r.Get("List-Unsubscribe"), "<"+unsubscribe)
	contains(t, "html", r.html, "<title>Ann&#39;s news</title>", `<p style="color: #333; margin: 0 0 1em;">`, "a:hover {", "@media (max-width: 480px)",
		`href="https://example.com/new?who=Ann&amp;x=1"`, `href="https://ann.example/"`, `href="`+unsubscribe, "padding: 24px;", ">News &amp; Views</p>")
	lacks(t, "html", r.html, "{{", "enlist-", "/k/", "/o/", ".card &gt;")
	contains(t, "text", r.text, "Hello Ann!\n\nHave a look at what is new <https://example.com/new?who=Ann&x=1>, or write to us@example.com.\n\nYour site is https://ann.example/.\n\nOur logo\n\n- one\n- two\n",
		"\n-- \nUnsubscribe from News & Views: "+unsubscribe)
	if len(l.asked) != 0 {
		t.Errorf("LinkTargets was called for %v, want no call without tracking", l.asked)
	}
	again := send(t, c, testMail(message))
	if again.Get("Message-Id") != r.Get("Message-Id") {
		t.Errorf("the Message-IDs for the same delivery are %q and %q, want them equal", r.Get("Message-Id"), again.Get("Message-Id"))
	}
}

// Each part ends with the sender and the postal address of the Message. A Message cannot remove the link to unsubscribe.
//
// covers: decision 127, spec message.sender, spec message.unsubscribe
func TestMailEndsWithTheSenderAndTheLinkToUnsubscribe(t *testing.T) {
	c, _ := testComposer(t)
	const link = "https://mail.example.org/u/12-345-1767225600-a7/"
	for _, kind := range []string{messages.EmailHTML, messages.EmailPlainHTML, messages.EmailRawHTML, messages.EmailMarkdown} {
		message := &messages.Message{EmailType: kind, Subject: "x", Text: "Hello.", AuthorisedSender: "Ann & <Co>",
			PostalAddress: "66 North Street\r\n \r\n  QLD\u202e 4001 {{First Name}} <script>\n"}
		if kind == messages.EmailHTML || kind == messages.EmailRawHTML {
			message.HTML = "<html><body><p>Hello.</p></body></html>"
		}
		for _, message.ShowUnsubscribeLink = range []bool{false, true} {
			r := send(t, c, testMail(message))
			contains(t, "text", r.text, "Hello.\n\n-- \nAnn & <Co>\n66 North Street\nQLD 4001 {{First Name}} <script>\nUnsubscribe from News & Views: "+link)
			contains(t, "html", r.html, `center;">Ann &amp; &lt;Co&gt;<br>`+"\n66 North Street<br>\nQLD 4001 {{First Name}} &lt;script&gt;<br>\n"+`<a href="`+link)
			contains(t, "List-Unsubscribe", r.Get("List-Unsubscribe"), "<"+link)
			lacks(t, "html", r.html, "<script>")
		}
	}
	message := &messages.Message{EmailType: messages.EmailHTML, Subject: "x", PostalAddress: "QLD 4001", Text: "{{unsubscribe_url}}",
		HTML: `<body><a href="{{unsubscribe_url}}">Leave</a></body>`}
	r := send(t, c, testMail(message))
	contains(t, "text", r.text, "\n-- \nQLD 4001\n")
	contains(t, "html", r.html, `center;">QLD 4001</p>`)
	lacks(t, "both parts", r.text+r.html, "Unsubscribe from")
	message.PostalAddress = "" // the cached templates have the old address
	lacks(t, "both parts", func() string { r := send(t, c, testMail(message)); return r.text + r.html }(), "4001")
}

// tracked matches the path of a tracked link up to its signature.
var tracked = regexp.MustCompile(`/k/12-345-1767225600-a7-50\d(\.[\w-]+)?/`)

// A tracked link leads to this service, which redirects to the target. The targets are stored once for each edition of the Message.
//
// covers: decision 49
func TestTrackedLinksLeadToThisService(t *testing.T) {
	c, l := testComposer(t)
	message := &messages.Message{EmailType: messages.EmailHTML, Subject: "x", HTML: newsletter + `<a href=" HTTP://example.com/b ">b</a><a href="https://example.com/c?{{unsubscribe_url}}">c</a><a href="#top">t</a>`}
	for range 2 {
		mail := testMail(message)
		mail.Schema.List.TrackClicks, mail.Schema.List.TrackOpens = true, true
		r := send(t, c, mail)
		contains(t, "html", r.html, `href="https://mail.example.org/k/12-345-1767225600-a7-501.`, `href="https://mail.example.org/k/12-345-1767225600-a7-502/`,
			`href="mailto:us@example.com"`, `href="https://ann.example/"`, `href="#top"`, `<img src="https://mail.example.org/o/12-345-1767225600-a7/`, `src="https://example.com/logo.png"`)
		lacks(t, "html", r.html, `"https://example.com/new`, "a7-503")
		if links := tracked.FindAllStringSubmatch(r.html, -1); len(links) != 2 || len(links[0][1]) != len(".12345678") || links[1][1] != "" {
			t.Errorf("the links %q, want a fingerprint of eight characters in the one with a merge field only", links)
		}
		contains(t, "text", r.text, "https://example.com/new?who=Ann&x=1")
	}
	if len(l.asked) != 1 || !slices.Equal(l.asked[0], []string{"https://example.com/new?who={{First Name}}&x=1", "HTTP://example.com/b"}) {
		t.Errorf("LinkTargets was called for %q, want one call with the two links that can be tracked", l.asked)
	}
	message.LastModifiedTime++ // an edit that changes no part of the mail is another edition too
	mail := testMail(message)
	mail.Schema.List.TrackClicks = true
	send(t, c, mail)
	if len(l.asked) != 2 {
		t.Errorf("LinkTargets was called %d times, want one call for each edition", len(l.asked))
	}
	message.HTML = `<a href="https://example.com/other">o</a>`
	mail = testMail(message)
	mail.Schema.List.TrackClicks = true
	lacks(t, "a Message that was changed", send(t, c, mail).html, "/k/12-345-1767225600-a7-502", "/o/")
}

// A mail links to the settings of its Contact and to itself as a page. A mail as a page has no values and links of one person.
//
// covers: decision 133, spec merge.preferences, spec merge.web_version
func TestMailLinksToSettingsAndToItsPage(t *testing.T) {
	c, _ := testComposer(t)
	l := testMail(&messages.Message{EmailType: messages.EmailHTML, Subject: "s{{web_version_url}}",
		HTML: `<p><a href="{{preferences_url}}">Settings</a> <a href="{{web_version_url}}">Page</a>`})
	r := send(t, c, l)
	contains(t, "html", r.html, `<a href="https://mail.example.org/p/12-345-1767225600-`, `<a href="https://mail.example.org/w/12-345-1767225600-`, "Unsubscribe from")
	contains(t, "subject", r.subject(t), "s")
	l.Archived, l.Contact, l.Delivery.Cause = true, new(enlist.Contact), "b8"
	l.Message.HTML += `<a href="{{confirm_url}}">Confirm</a> <a href="https://example.com/?id={{id}}">{{Email|reader}} {{id|none}} {{First Name|friend}}</a>`
	r = send(t, c, l)
	page := regexp.MustCompile(`https://mail\.example\.org/w/12-345-1767225600-b8/[\w-]+`).FindString(r.html)
	contains(t, "a web version", r.html, `<a href="`+page+`?link">Settings</a> <a href="`+page+`">Page</a>`, `<a href="`+page+`?link" style="color: #1f4e8c !important;">Unsubscribe from`,
		">reader none friend</a>", "https://example.com/?id=\"")
	lacks(t, "a web version", r.html+r.text, "ann@example.com", "Ann", "/u/", "/p/", "/c/")
	l.Delivery.Contact = 0
	r = send(t, c, l)
	contains(t, "an archive", r.html, `"https://mail.example.org/a/12/8?link">Settings</a> <a href="https://mail.example.org/a/12/8">Page</a>`)
	lacks(t, "an archive", r.html+r.text, "/u/", "/p/", "/c/", "/w/")
	l = testMail(nil)
	l.Delivery.Cause = messages.CauseLink
	contains(t, "text", send(t, c, l).text, "Open your settings: https://mail.example.org/p/12-345-1767225600-p/", "It works for 30 days.")
}

// The email type of a Message decides which parts the mail has. Each part has one link to
// unsubscribe.
//
// covers: decision 46, spec merge.unsubscribe, spec merge.confirm
func TestEmailTypeDecidesTheParts(t *testing.T) {
	c, _ := testComposer(t)
	const text = "Hi {{First Name}},\n\n  see https://example.com/{{First Name}}?a=1&b=2. <Bye>\n{{unsubscribe_url}}\n{{confirm_url}}\n"
	for _, test := range []struct {
		name       string
		message    messages.Message
		text, html []string
	}{
		{"plain text", messages.Message{EmailType: messages.EmailPlain, Text: text, HTML: "<p>no</p>"}, []string{"Hi Ann,\n\n  see https://example.com/Ann?a=1&b=2. <Bye>\nhttps://mail.example.org/u/"}, nil},
		{"plain text made from HTML", messages.Message{EmailType: messages.EmailPlain, HTML: "<p>only {{First Name}}</p>"}, []string{"only Ann\n\n-- \nUnsubscribe"}, nil},
		{"HTML made from text", messages.Message{EmailType: messages.EmailPlainHTML, Text: text}, []string{"Hi Ann,"},
			[]string{"Hi Ann,<br>\n<br>\n&nbsp; see <a href=\"https://example.com/Ann?a=1&amp;b=2\">https://example.com/Ann?a=1&amp;b=2</a>. &lt;Bye&gt;<br>\n<a href=\"https://mail.example.org/u/", "<a href=\"https://mail.example.org/c/"}},
		{"HTML as written", messages.Message{EmailType: messages.EmailRawHTML, HTML: "<style>p{color:red}</style><P CLASS=x>{{First Name}}", Text: "t"}, []string{"t\n\n-- \nUnsubscribe"}, []string{"<style>p{color:red}</style><P CLASS=x>Ann<p "}},
		{"a Message of type HTML without HTML", messages.Message{EmailType: messages.EmailHTML, Text: "only text"}, []string{"only text"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.message.Subject = "s"
			r := send(t, c, testMail(&test.message))
			contains(t, "text", r.text, test.text...)
			contains(t, "html", r.html, test.html...)
			if test.html == nil && r.html != "" {
				t.Errorf("the mail has the HTML part %s, want none", r.html)
			}
			const unsubscribe = "https://mail.example.org/u/"
			if strings.Count(r.text, unsubscribe) != 1 || test.html != nil && strings.Count(r.html, `"`+unsubscribe) != 1 {
				t.Errorf("each part must have one link to unsubscribe:\n%s\n%s", r.text, r.html)
			}
		})
	}
}

// The sender of a mail comes from the Message, or else from the List, or else from the settings.
//
// covers: decision 46
func TestSenderIsOfTheMessageOrTheListOrTheSettings(t *testing.T) {
	c, _ := testComposer(t)
	l := testMail(&messages.Message{EmailType: messages.EmailPlain, Text: "x", FromAddress: "message@example.com"})
	l.Schema.List.FromName, l.Schema.List.FromAddress = "Zoë", "list@bücher.example"
	if from := send(t, c, l).Get("From"); from != "=?utf-8?q?Zo=C3=AB?= <message@example.com>" {
		t.Errorf("with a sender in the Message, From is %s, want message@example.com", from)
	}
	l.Message = &messages.Message{EmailType: messages.EmailPlain, Text: "y"}
	r := send(t, c, l)
	if from := r.Get("From"); from != "=?utf-8?q?Zo=C3=AB?= <list@xn--bcher-kva.example>" || !strings.HasSuffix(r.Get("Message-Id"), "@xn--bcher-kva.example>") {
		t.Errorf("with a sender in the List, From is %s and Message-ID is %s, want the List's domain in ASCII", from, r.Get("Message-Id"))
	}
	c.settings = fixedSettings(accounts.Settings{FromName: "Example News"})
	l.Message = &messages.Message{EmailType: messages.EmailPlain, Text: "z", FromAddress: "message@example.com"}
	l.Schema.List.FromName, l.Schema.List.FromAddress = "", ""
	if from := send(t, c, l).Get("From"); from != `"News & Views" <message@example.com>` {
		t.Errorf("with an address only in the Message, From is %s, want the List's name", from)
	}
	l.Message = &messages.Message{EmailType: messages.EmailPlain, Text: "v"}
	if from := send(t, c, l).Get("From"); from != `"Example News" <lists@example.org>` {
		t.Errorf("with the sender of the settings, From is %s, want its name", from)
	}
	c.from = ""
	if _, _, err := c.outgoing(t.Context(), l); err == nil || !strings.Contains(err.Error(), "mail-from") {
		t.Errorf("without a sender, got %v, want an error that names the setting mail-from", err)
	}
	if _, err := newComposer(Options{From: "no-address"}); err == nil {
		t.Error("a sender that is not an address was accepted, want an error")
	}
}

// The service can send a mail to every address that package address accepts.
func TestMailCanBeSentToUnusualAddresses(t *testing.T) {
	c, _ := testComposer(t)
	for _, test := range []struct{ address, want string }{
		{`"a b"@example.com`, `<"a b"@example.com>`}, {`"a\"b\\c"@example.com`, `<"a\"b\\c"@example.com>`}, {`"a@b"@example.com`, `<"a@b"@example.com>`},
		{`"plain"@example.com`, `<plain@example.com>`}, {`"a,b;c:d<e>"@example.com`, `<"a,b;c:d<e>"@example.com>`}, {`a'b+c/d={e}@example.com`, `<a'b+c/d={e}@example.com>`},
		{"ann@bücher.example", "<ann@xn--bcher-kva.example>"}, {"用户@example.com", "<用户@example.com>"}, {"Ann@Example.COM", "<Ann@example.com>"},
	} {
		t.Run(test.address, func(t *testing.T) {
			l := testMail(&messages.Message{EmailType: messages.EmailPlain, Text: "x"})
			l.Address = test.address
			m, _, err := c.outgoing(t.Context(), l)
			if err != nil {
				t.Fatal(err)
			}
			if to := read(t, m).Get("To"); to != test.want {
				t.Errorf("To is %s, want %s", to, test.want)
			}
			if m.to != test.want {
				t.Errorf("the recipient is %s, want %s", m.to, test.want)
			}
		})
	}
}

// For any values, a subject is one line of limited length.
func TestSubjectIsOneLineWithoutControlCharacters(t *testing.T) {
	c, _ := testComposer(t)
	for _, test := range []struct{ name, value, want string }{
		{"line ends become spaces", "a\r\nBcc: x@example.com", "a Bcc: x@example.com"},
		{"an encoded word is shown as it is", "=?utf-8?q?=0D=0ABcc:_x?=", "=?utf-8?q?=0D=0ABcc:_x?="},
		{"control characters are removed", "Zoë \u202e evil\u2028x\x00\x1b", "Zoë evil x"},
		{"a long subject is cut", strings.Repeat("x", 300), strings.Repeat("x", 249) + "…"},
		{"the limit counts characters", strings.Repeat("é", 240), strings.Repeat("é", 240)},
		{"a long encoded word is shown as it is", "=?" + strings.Repeat("é", 200), "=?" + strings.Repeat("é", 200)},
		{"invalid UTF-8 is replaced", "\xff\xfe", "\uFFFD"},
		{"a value is not a merge field", "{{unsubscribe_url}}", "{{unsubscribe_url}}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := testMail(&messages.Message{EmailType: messages.EmailPlain, Text: "x", Subject: "{{First Name}}{{unsubscribe_url}}"})
			l.Contact.Values = l.Contact.Values.Set(2, test.value)
			r := send(t, c, l)
			if s := r.subject(t); s != test.want {
				t.Errorf("the subject is %q, want %q", s, test.want)
			}
			if r.Get("Bcc") != "" {
				t.Error("the value added the header field Bcc")
			}
		})
	}
}

// The mails of the program and the link to unsubscribe are in the language in which the Contact subscribed.
//
// covers: spec form.language, contact.language-use
func TestMailsAreInTheLanguageInWhichTheContactSubscribed(t *testing.T) {
	c, _ := testComposer(t)
	l := testMail(&messages.Message{EmailType: messages.EmailHTML, Subject: "x", HTML: "<p>Hello"})
	l.Contact.Language, l.Schema.List.Language = "de", "en"
	r := send(t, c, l)
	contains(t, "text", r.text, "Von News & Views abmelden: https://")
	contains(t, "html", r.html, ">Von News &amp; Views abmelden</a>")
	l.Message = nil
	l.Delivery.Cause = messages.CauseLink
	contains(t, "the link", send(t, c, l).html, `<html lang="de">`)
	l.Delivery.Cause = messages.CauseConfirmation
	l.Schema.List.ConfirmSubject, l.Schema.List.ConfirmText = "One more click", "English words"
	r = send(t, c, l)
	contains(t, "subject", r.subject(t), "Bitte bestätigen: News & Views")
	contains(t, "html", r.html, `<html lang="de">`)
	lacks(t, "html", r.html, "English words")
	l.Schema.List.Language = "" // the texts of the List may be German
	contains(t, "subject", send(t, c, l).subject(t), "One more click")
	l.Contact.Language, l.Schema.List.Language = "", "fr"
	contains(t, "html", send(t, c, l).html, `<html lang="fr">`, "English words")
	l.Schema.List.Language = "en"
	for _, in := range c.texts.All() {
		l.Contact.Language = in.Code
		for _, cause := range []string{messages.CauseConfirmation, messages.CauseLink} {
			l.Message, l.Delivery.Cause = nil, cause
			contains(t, cause, send(t, c, l).html, `<html lang="`+in.Code+`">`)
		}
		l.Message, l.Delivery.Cause = &messages.Message{EmailType: messages.EmailHTML, Subject: "x", HTML: "<p>Hello"}, ""
		contains(t, "a Message", send(t, c, l).text, in.Text("web.unsubscribe.heading", "list", "News & Views"))
	}
}

// The made-up language shows words of mails that are in no catalogue.
func TestMailsAreTranslated(t *testing.T) {
	c, _ := testComposer(t)
	c.texts = languagetest.Texts()
	mails := make(map[string]*received)
	for _, cause := range []string{messages.CauseConfirmation, messages.CauseLink} {
		l := testMail(nil)
		l.Delivery.Cause = cause
		mails[cause] = send(t, c, l)
	}
	l := testMail(&messages.Message{EmailType: messages.EmailHTML, Subject: "Ωρα", HTML: "<p>Ωρα</p>"})
	mails["a Message"] = send(t, c, l)
	for _, event := range []enlist.Event{enlist.EventSubscribe, enlist.EventUnsubscribe, enlist.EventUpdateProfile} {
		n := testNotification()
		n.Event, n.Details.IsUnsubscribed, n.Details.IsActive, n.Details.DoubleOptIn = event, true, false, true
		m, err := c.notification("1", n)
		if err != nil {
			t.Fatal(err)
		}
		mails[string(event)] = read(t, m)
	}
	for name, r := range mails {
		text := html.EscapeString(r.subject(t) + "\n" + r.text)
		data := "News & Views Email First Name Website Comment Ann Hello, I like it. Weekly Offers agree to receive news."
		if found := languagetest.Untranslated(r.html+text, data); len(found) > 0 {
			t.Errorf("the mail %s has the words %q in no catalogue:\n%s", name, found, r.text)
		}
	}
}
