package ui

import "enlist/internal/enlist"

// UTM returns the inputs of UTM parameters, but for that which says whether links get them.
func UTM(r *Request, u *enlist.UTM) Form {
	input := func(name, label, example string) Input {
		return Input{Name: name, Label: r.Text(label), Example: r.Text(example)}
	}
	return Fill(Form{
		{Kind: InputRow, Parts: Form{input("utm_source", "ui.utm_source", "ui.utm_source_else"),
			input("utm_medium", "ui.utm_medium", "ui.utm_medium_else"),
			input("utm_campaign", "ui.utm_campaign", "ui.utm_campaign_else")}},
		{Kind: InputRow, Parts: Form{input("utm_content", "ui.utm_content", "ui.utm_none"),
			input("utm_term", "ui.utm_term", "ui.utm_none")}},
		{Name: "utm_domains", Label: r.Text("ui.utm_domains"), Example: r.Text("ui.utm_domains_else"),
			Help: r.Text("ui.utm_domains_help")},
	}, enlist.UTMAttributes, u)
}
