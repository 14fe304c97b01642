package listmonk

import (
	"html"
	"regexp"
	"strings"
)

// This file translates the expressions of listmonk's templates into merge fields. listmonk executes a template of Go;
// enlist only replaces merge fields. So conditions, loops and most functions have no translation and are reported.

var (
	// expression is a piece between {{ and }}, without the minus signs that remove white space around it.
	expression = regexp.MustCompile(`(?s)\{\{-?\s*(.*?)\s*-?\}\}`)
	// trackedLink is the short form of TrackLink.
	trackedLink = regexp.MustCompile(`(https?://[^\s"'<>{}]*?)@TrackLink`)
	// content is the place of the body of a campaign in its template.
	content = regexp.MustCompile(`\{\{-?\s*template\s+"content"\s+\.\s*-?\}\}`)

	// browserLink is the link to the page with the mail, which the default template has at its end.
	browserLink = regexp.MustCompile(`(?s)(?:&nbsp;|\s)*<a\s[^<>]*\{\{-?\s*MessageURL\s*\.?\s*-?\}\}[^<>]*>.*?</a>`)

	comment    = regexp.MustCompile(`(?s)^/\*.*\*/$`)
	subscriber = regexp.MustCompile(`^\.Subscriber\.(Email|Name|FirstName|LastName|UUID)$`)
	attribute  = regexp.MustCompile(`^\.Subscriber\.Attribs\.([\pL_][\pL\d_]*(?:\.[\pL_][\pL\d_]*)?)$`)
	indexed    = regexp.MustCompile(`^\(?index\s+\.Subscriber\.Attribs\s+"([^"]+)"(?:\s+"([^"]+)")?\)?$`)
	piped      = regexp.MustCompile(`^(.+?)\s*\|\s*default\s+"([^"]*)"$`)
	defaulted  = regexp.MustCompile(`^default\s+"([^"]*)"\s+(.+)$`)
	function   = regexp.MustCompile(`^(UnsubscribeURL|ManageURL|OptinURL|TrackView)(?:\s+\.)?$`)
	quotedText = regexp.MustCompile(`(?s)^(TrackLink|Safe|L\.T)\s+["` + "`](.*?)[\"`]" + `(?:\s+\.)?$`)
	campaign   = regexp.MustCompile(`^\.Campaign\.(Subject|Name|FromEmail)$`)
)

// subscriberFields are the Fields of the properties of a subscriber.
var subscriberFields = map[string]string{"Email": "Email", "Name": "Name", "FirstName": "First Name",
	"LastName": "Last Name",
	"UUID":     "UUID"}

// phrases are the texts of L.T that the templates of listmonk use.
var phrases = map[string]string{"email.unsub": "Unsubscribe", "email.viewInBrowser": "View in browser"}

// translation translates the texts of one campaign or template.
type translation struct {
	campaign map[string]string // Subject, Name and FromEmail of the campaign; nil in a template without campaign
	isHTML   bool
	// unknown gets each expression that stays as it is, with the reason.
	unknown func(expression, reason string)
}

// translate returns a text with merge fields.
func (t *translation) translate(source string) string {
	source = trackedLink.ReplaceAllString(source, "$1")
	if t.isHTML {
		source = browserLink.ReplaceAllString(source, "") // there is no page with the mail
	}
	return expression.ReplaceAllStringFunc(source, func(whole string) string {
		code := expression.FindStringSubmatch(whole)[1]
		if t.isHTML {
			code = html.UnescapeString(code) // editors write quotes as &#34;
		}
		replacement, ok := t.replace(code)
		if !ok {
			t.unknown(whole, "no merge field has this meaning: edit the Message")
			return whole
		}
		return replacement
	})
}

// replace returns the text for one expression.
func (t *translation) replace(code string) (text string, ok bool) {
	if m := piped.FindStringSubmatch(code); m != nil {
		return mergeField(m[1], m[2])
	}
	if m := defaulted.FindStringSubmatch(code); m != nil {
		return mergeField(m[2], m[1])
	}
	if text, ok := mergeField(code, ""); ok {
		return text, true
	}
	if comment.MatchString(code) {
		return "", true
	}
	if m := function.FindStringSubmatch(code); m != nil {
		return map[string]string{"UnsubscribeURL": "{{unsubscribe_url}}", "ManageURL": "{{unsubscribe_url}}",
			"OptinURL": "{{confirm_url}}"}[m[1]], true // TrackView is empty: the List says whether openings are recorded
	}
	if m := quotedText.FindStringSubmatch(code); m != nil {
		if m[1] == "L.T" {
			text, ok = phrases[m[2]]
			return text, ok
		}
		return m[2], true // TrackLink: the List says whether clicks are recorded
	}
	if m := campaign.FindStringSubmatch(code); m != nil && t.campaign != nil {
		text = t.campaign[m[1]]
		if t.isHTML {
			text = html.EscapeString(text)
		}
		return text, true
	}
	return "", false
}

// mergeField returns the merge field for a property or an attribute of a subscriber.
func mergeField(code, fallback string) (text string, ok bool) {
	code = strings.TrimSpace(code)
	name := ""
	if m := subscriber.FindStringSubmatch(code); m != nil {
		name = subscriberFields[m[1]]
	} else if m := attribute.FindStringSubmatch(code); m != nil {
		name = fieldName(m[1])
	} else if m := indexed.FindStringSubmatch(code); m != nil {
		name = m[1]
		if m[2] != "" {
			name += "." + m[2]
		}
		name = fieldName(name)
	}
	if name == "" || strings.ContainsAny(name+fallback, "{|}") {
		return "", false
	}
	if fallback != "" {
		name += "|" + fallback
	}
	return "{{" + name + "}}", true
}
