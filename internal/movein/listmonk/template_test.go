package listmonk_test

import (
	"strings"
	"testing"

	"enlist/internal/movein/listmonk"
)

// An expression with the meaning of a merge field becomes this merge field. Any other one stays and is reported.
//
// covers: decision 97
func TestExpressionsBecomeMergeFields(t *testing.T) {
	own := map[string]string{"Subject": "News & more", "Name": "May", "FromEmail": "Club <club@example.com>"}
	for _, c := range []struct{ source, want string }{
		{"Hello {{ .Subscriber.Name }}!", "Hello {{Name}}!"},
		{"{{.Subscriber.FirstName}} {{- .Subscriber.LastName -}} {{ .Subscriber.UUID }}", "{{First Name}} {{Last Name}} {{UUID}}"},
		{"{{ .Subscriber.Attribs.city }} {{ .Subscriber.Attribs.address.street }}", "{{city}} {{address.street}}"},
		{`{{ index .Subscriber.Attribs "shoe size" }} {{ index .Subscriber.Attribs "a" "b" }}`, "{{shoe size}} {{a.b}}"},
		{`{{ .Subscriber.Attribs.name }}`, "{{name (attribute)}}"},
		{`{{ .Subscriber.Attribs.city | default "there" }} {{ default "you" .Subscriber.Name }}`, "{{city|there}} {{Name|you}}"},
		{`<a href="{{ UnsubscribeURL }}">{{ L.T "email.unsub" }}</a> {{ OptinURL . }} {{ ManageURL }}`,
			`<a href="{{unsubscribe_url}}">Unsubscribe</a> {{confirm_url}} {{unsubscribe_url}}`},
		{`<a href="{{ TrackLink "https://example.com/?a=1" . }}"> {{ TrackView }}`, `<a href="https://example.com/?a=1"> `},
		{`<a href="{{ TrackLink &#34;https://example.com/&#34; }}">`, `<a href="https://example.com/">`},
		{`<a href="https://example.com/?a=1@TrackLink">`, `<a href="https://example.com/?a=1">`},
		{"{{/* a note */}}{{ Safe `<!-- x -->` }}", "<!-- x -->"},
		{"{{ .Campaign.Subject }}, {{ .Campaign.Name }}", "News &amp; more, May"},
		{`<a href="{{ UnsubscribeURL }}">{{ L.T "email.unsub" }}</a>&nbsp;&nbsp;
			<a href="{{ MessageURL }}" style="color: #888">{{ L.T "email.viewInBrowser" }}</a></p>`, `<a href="{{unsubscribe_url}}">Unsubscribe</a></p>`},
		{"}} {{ { a }", "}} {{ { a }"},
	} {
		if got, unknown := listmonk.Translate(c.source, own); got != c.want || len(unknown) > 0 {
			t.Errorf("%s became %s with %q, want %s", c.source, got, unknown, c.want)
		}
	}
	const source = `{{ if .Subscriber.Name }}Hi{{ end }} {{ MessageURL }} {{ L.T "email.other" }} {{ Date "2006" }} ` +
		`{{ .Subscriber.Status }} {{ .Subscriber.Name | upper }} {{ index .Subscriber.Attribs "a|b" }} {{ .Tx.Data.id }}`
	got, unknown := listmonk.Translate(source, own)
	if got != source || len(unknown) != strings.Count(source, "{{") {
		t.Errorf("%s became %s, and %q were reported", source, got, unknown)
	}
	if _, unknown := listmonk.Translate("{{ .Campaign.Subject }}", nil); len(unknown) != 1 {
		t.Errorf("in a template without campaign, %q were reported", unknown)
	}
}
