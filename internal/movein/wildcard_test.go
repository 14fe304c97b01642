package movein_test

import (
	"strings"
	"testing"

	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/movein"
)

// Each wildcard in the texts of a Message is reported once, with the merge field to write in its place. The Message is
// stored with its texts as they are, but without an address that is none.
func TestWildcardsOfAMessageAreReported(t *testing.T) {
	dbtest.EachParallel(t, wildcardsOfAMessageAreReported)
}

func wildcardsOfAMessageAreReported(t *testing.T, e dbtest.Engine) {
	to, ctx := newTarget(t, e), t.Context()
	text := func(key, text string) enlist.Detail {
		return enlist.Detail{Key: key, Value: enlist.Input{Kind: enlist.InputText, Text: text}}
	}
	for _, name := range []string{"First Name", "Owner & Co"} {
		must(to.service.Lists.AddField(ctx, to.caller, 1, []enlist.Detail{text("name", name), text("type", "text")}))(t)
	}
	body := `<p>Hi [$First Name$], [$ firstname $] [$Owner &amp; Co$] [$id$] [$Weather$] [$First Name$] [$ 5 [x]</p>` +
		`<a href="[$unsubscribe_link$]">Leave</a>`
	record := movein.Record{text("id", "31"), text("name", "May"), text("subject", "For [$First Name$]"), text("type", "email"),
		text("from_name", "[$Owner & Co$]"), text("from_address", "[$Email$]"), text("html_content", body), text("text_content", "[$FIRST_NAME$]")}
	problems, err := movein.NewRecords(to.service, to.caller).MoveMessage(ctx, record)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range problems {
		if p.Record != "message" || p.ID != 31 {
			t.Errorf("the problem is about %s %d, want the Message 31", p.Record, p.ID)
		}
		got = append(got, p.Key+" "+p.Value+" "+strings.TrimPrefix(p.Reason, "no wildcard is filled here: "))
	}
	want := []string{
		"from_address [$Email$] expected an email address, not \"($Email$)\"",
		"subject [$First Name$] write {{First Name}}",
		"from_name [$Owner & Co$] write a name without merge fields",
		"from_address [$Email$] write {{Email}}",
		"html_content [$First Name$] write {{First Name}}",
		"html_content [$ firstname $] write {{First Name}}",
		"html_content [$Owner &amp; Co$] write {{Owner & Co}}",
		"html_content [$id$] write {{id}}",
		"html_content [$Weather$] no List has a Field with this name; write a Field's name in {{ and }}, or remove it",
		"html_content [$unsubscribe_link$] write {{unsubscribe_url}} in the link",
		"text_content [$FIRST_NAME$] write {{First Name}}",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("the problems are\n%s\nwant\n%s", g, w)
	}
	m := must(to.service.Messages.Message(ctx, to.caller, 31))(t)
	if m.HTML != body || m.Subject != "For [$First Name$]" || m.FromAddress != "" {
		t.Errorf("the Message is %+v, want its texts unchanged and no from_address", *m)
	}
}
