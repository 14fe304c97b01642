package messages

import (
	"testing"

	"enlist/internal/enlist"
)

// from_address and reply_to accept an address that merge fields make. The texts around them are checked when the Message
// is stored.
//
// covers: spec merge.address, decision 128
func TestAddressesWithMergeFieldsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		" news@example.com ":           "news@example.com",
		"{{Owner}}":                    "{{Owner}}",
		" {{Owner|news@example.com}} ": "{{Owner|news@example.com}}",
		"{{First Name}}@example.com":   "{{First Name}}@example.com",
		"{{First Name}}.{{Last Name|office}}@shop{{n}}.example.com": "{{First Name}}.{{Last Name|office}}@shop{{n}}.example.com",
		"news@{{Domain}}":                          "news@{{Domain}}",
		"news@{{Domain|example.com}}":              "news@{{Domain|example.com}}",
		"{{a|b}}@{{Domain|not a domain}}":          "refused",
		"{{Owner|not an address}}":                 "refused",
		"{{Owner}}{{Owner}}":                       "refused",
		"{{Owner}} <news@example.com>":             "refused",
		"\"boss@bank.example\" <{{Owner}}>":        "refused",
		"{{Owner}}, boss@bank.example":             "refused",
		"{{Owner}}\r\nBcc: boss@bank.example":      "refused",
		"{{unsubscribe_url}}":                      "refused",
		"{{confirm_url|news@example.com}}":         "refused",
		"[$Email$]":                                "refused",
		"boss@bank.example@{{Domain|example.com}}": "refused",
	} {
		got, err := readAddress(text)
		if err != nil {
			got = "refused"
		}
		if got != want {
			t.Errorf("%q is read as %q, error %v; want %q", text, got, err, want)
		}
	}
}

// covers: spec merge.address, decision 128
func TestAddressesAreFilledWithValuesOfTheContact(t *testing.T) {
	schema, contact := schemaWithEmptyField()
	contact.Values = contact.Values.Set(13, "shop.example.org")
	for _, c := range []struct{ text, value, want string }{
		{"{{First Name}}", "ann@example.com", "ann@example.com"},
		{"{{First Name}}", " ann@example.com ", "ann@example.com"},
		{"{{First Name}}", "ann@bücher.example", "ann@bücher.example"},
		{"{{First Name}}@example.com", "ann", "ann@example.com"},
		{"{{First Name}}@{{Website}}", "ann", "ann@shop.example.org"},
		{"{{Empty|news@example.com}}", "", "news@example.com"},
		{"{{Empty}}", "", "refused"},
		{"{{Unknown}}", "", "refused"},
		{"{{First Name}}", "ann", "refused"},
		{"{{First Name}}", "ann@example.com\r\nBcc: bob@example.com", "refused"},
		{"{{First Name}}", "ann@example.com\n", "refused"},
		{"{{First Name}}", "ann@exam\u200bple.com", "refused"},
		{"{{First Name}}", "\u202eann@example.com", "refused"},
		{"{{First Name}}", "ann@example.com, bob@example.com", "refused"},
		{"{{First Name}}", `"boss@bank.example" <ann@example.com>`, "refused"},
		{"{{First Name}}", `"boss@bank.example"@example.com`, "refused"},
		{"{{First Name}}@example.com", "boss@bank.example", "refused"},
		{"{{First Name}}@example.com", "ann@bank.example,bob", "refused"},
		{"news@{{First Name}}", "bank.example>\r\nTo: x", "refused"},
	} {
		contact.Values = contact.Values.Set(12, c.value)
		m := &OutgoingMail{Schema: schema, Contact: contact, Message: &Message{FromAddress: c.text}}
		got, _, err := m.FillSender()
		why, ok := err.(*Undelivered)
		if err != nil {
			got = "refused"
		}
		if got != c.want || err != nil && (!ok || !why.Permanent || why.Recipient) {
			t.Errorf("%q with the value %q gives %q, error %v; want %q", c.text, c.value, got, err, c.want)
		}
		m.Message = &Message{ReplyTo: c.text}
		if _, again, err := m.FillSender(); err == nil && again != c.want || err != nil && c.want != "refused" {
			t.Errorf("reply_to %q with the value %q gives %q, error %v; want %q", c.text, c.value, again, err, c.want)
		}
	}
	m := &Message{FromAddress: "{{Owner}}", ReplyTo: "{{Nick|x@example.com}}", Type: MessageEmail}
	if got := m.UnknownFields(enlist.NewSchema(schema.List, nil, nil)); len(got) != 2 || got[0] != "Nick" || got[1] != "Owner" {
		t.Errorf("unknown merge fields are %q, want those of both addresses", got)
	}
}
