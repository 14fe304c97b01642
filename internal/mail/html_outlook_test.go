package mail

import (
	"regexp"
	"strings"
	"testing"

	"enlist/internal/colour"
	"enlist/internal/messages"
)

// The tests in this file check conditional comments, which only Outlook shows, and the end that the service adds.

// Merge fields in conditional comments are filled and links are tracked, as in other HTML. Those in other comments are
// removed.
//
// covers: decision 46, spec merge.links
func TestConditionalCommentsAreFilled(t *testing.T) {
	c, _ := testComposer(t)
	const source = `<!doctype html><html><body><p>Hi {{First Name|friend}}</p><!--[if mso]><v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" href="https://example.com/?e={{Email}}" style="width:200px">` +
		`<center>Hello {{Nick|friend}}</center></v:roundrect><p>{{Comment}}</p><a href="{{unsubscribe_url}}">out</a></body><![endif]-->` +
		`<!--[if !mso]><!--><a href="https://example.com/?e={{Email}}">x</a><!--<![endif]--><!-- plain {{Email}} --></body></html>`
	for _, kind := range []string{messages.EmailHTML, messages.EmailRawHTML} {
		mail := testMail(&messages.Message{EmailType: kind, Subject: "s", HTML: source})
		mail.Contact.Values = mail.Contact.Values.Set(4, `--><b>bold</b><![endif]-->`)
		got := send(t, c, mail).html
		contains(t, "the HTML", got, `<v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" href="https://example.com/?e=ann%40example.com" style="width:200px">`,
			`<center>Hello friend</center>`, `<p>--&gt;&lt;b&gt;bold&lt;/b&gt;&lt;![endif]--&gt;</p>`, `<a href="https://mail.example.org/u/`, `<!-- plain  --`)
		if strings.Count(got, "/u/") != 2 {
			t.Errorf("the HTML has %d links to unsubscribe, want that for Outlook and the one at the end:\n%s", strings.Count(got, "/u/"), got)
		}
		if at := strings.Index(got, "Unsubscribe from"); at < strings.LastIndex(got, "<![endif]-->") {
			t.Errorf("the end of the mail is in the comment:\n%s", got)
		}
		mail.Schema.List.TrackClicks = true
		got = send(t, c, mail).html
		if n := strings.Count(got, `href="https://mail.example.org/k/`); n != 2 {
			t.Errorf("%d links are tracked, want that for Outlook and that for others:\n%s", n, got)
		}
	}
}

// Rules for elements in conditional comments stay in a style sheet for Outlook, because inlining does not find these
// elements.
//
// covers: decision 46
func TestRulesForElementsThatOnlyOutlookShowsStay(t *testing.T) {
	const sheet = `<style>td.btn--big{padding:9px} table,td{mso-table-lspace:0pt;border-collapse:collapse !important} .btn a{color:red} p{margin:0} .gone td{top:0}</style>`
	const body = `<table><tr><td class="btn btn--big"><a>x</a><p>y</p></td></tr></table>`
	kept := `<!--[if mso]><style type="text/css">` + "\ntd {mso-table-lspace: 0pt;border-collapse: collapse !important;}\n</style><![endif]-->"
	for name, c := range map[string]struct{ comment, want string }{
		"a cell":                   {`<!--[if mso | IE]><tr><td width="600"><![endif]-->`, kept},
		"a class with two hyphens": {`<!--[if mso]><td class="btn--big"><![endif]-->`, `<!--[if mso]><style type="text/css">` + "\ntd.btn--big {padding: 9px;}" + kept[strings.Index(kept, "\n"):]},
		"no element":               {`<!--[if mso]>&nbsp;<![endif]-->`, ""},
		"no rule":                  {`<!--[if mso]><center><![endif]-->`, ""},
		"another comment":          {`<!-- <td> -->`, ""},
		"not for Outlook":          {`<!--[if !mso]><!--><td><!--<![endif]-->`, ""},
		"a rule that stays":        {`<!--[if mso]><div class="gone"><![endif]-->`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := inlineStyles("<html><head><title>t</title>" + sheet + "</head><body>" + body + c.comment + "</body></html>")
			contains(t, "the result", got, "<title>t</title>"+c.want+"<style", `<p style="margin: 0;">`, ".gone td {top:0}")
		})
	}
}

// The end that the service adds can be read on every ground.
//
// covers: decision 46
func TestAddedEndHasItsOwnColours(t *testing.T) {
	c, _ := testComposer(t)
	got := send(t, c, testMail(&messages.Message{EmailType: messages.EmailHTML, Subject: "s", AuthorisedSender: "The Club",
		HTML: `<style>p,a{color:#fff !important}</style><body style="background:#173831"><p>Short news.</p></body>`})).html
	end := got[strings.Index(got, `<p dir="auto"`):]
	ground := colour.Parse("#ffffff")
	contains(t, "the end", end, "background: #ffffff !important;")
	texts := regexp.MustCompile(`[ "]color: (#[0-9a-f]{6}) !important;`).FindAllStringSubmatch(end, -1)
	if len(texts) != 2 {
		t.Fatalf("the end has the colours %q, want those of the text and of the link", texts)
	}
	for _, found := range texts {
		if text := colour.Parse(found[1]); colour.Contrast(text, ground) < 4.5 {
			t.Errorf("the contrast of %s is %.1f, want at least 4.5", found[1], colour.Contrast(text, ground))
		}
	}
}
