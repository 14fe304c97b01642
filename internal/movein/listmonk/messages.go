package listmonk

import (
	"context"
	"encoding/json"
	"fmt"
	"net/mail"

	"enlist/internal/movein"
)

// The ID of the Message for a campaign is ten times its ID. For a template it is one more, because campaigns and
// templates have the same IDs.
const (
	messageFactor = 10
	ofTemplate    = 1
)

// Message implements movein.Source. A record that was deleted meanwhile is empty.
func (d *Database) Message(ctx context.Context, id int64) (record movein.Record, err error) {
	if id%messageFactor == ofTemplate {
		record, err = d.template(ctx, id)
	} else {
		record, err = d.campaign(ctx, id)
	}
	if err != nil {
		return nil, fmt.Errorf("read listmonk's record for the Message %d: %w", id, err)
	}
	return record, nil
}

// translation returns a translation of a key of a Message.
func (d *Database) translation(id int64, key string, campaign map[string]string, isHTML bool) *translation {
	return &translation{campaign: campaign, isHTML: isHTML, unknown: func(expression, reason string) {
		d.refuse(movein.Problem{Record: "message", ID: id, Key: key, Value: expression, Reason: reason})
	}}
}

// template returns a template as a Message.
func (d *Database) template(ctx context.Context, id int64) (movein.Record, error) {
	found, err := d.records(ctx, "templates", "SELECT $1::bigint AS id, 'Template: ' || name AS name, "+
		"'raw_html' AS email_type, "+seconds("created_at")+" AS creation_time, "+seconds("updated_at")+
		" AS last_modified_time, coalesce(nullif(subject, ''), name) AS title, body FROM templates WHERE id = $2",
		id, id/messageFactor)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	body := content.ReplaceAllString(found[0].Text("body"), "<!-- here is the content of the campaign -->")
	return append(found[0][:5:5], text("subject", d.translation(id, "subject", nil, false).translate(found[0].Text("title"))),
		text("html_content", d.translation(id, "html_content", nil, true).translate(body))), nil
}

// campaign returns a campaign as a Message: its body in its template.
func (d *Database) campaign(ctx context.Context, id int64) (movein.Record, error) {
	found, err := d.records(ctx, "campaigns", `SELECT $1::bigint AS id, c.name, `+seconds("c.created_at")+` AS creation_time,
			`+seconds("c.updated_at")+` AS last_modified_time, c.subject AS title, c.from_email AS sender, c.body,
			coalesce(c.altbody, '') AS plain, c.content_type::text AS kind, c.status::text AS status, c.messenger,
			coalesce(t.body, '') AS template, c.headers::text AS headers
		FROM campaigns c LEFT JOIN templates t ON t.id = c.template_id WHERE c.id = $2`, id, id/messageFactor)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	c := found[0]
	d.reportUnsent(id, c)
	attachments, err := d.attachments(ctx, id)
	if err != nil {
		return nil, err
	}
	own := map[string]string{"Name": c.Text("name"), "FromEmail": c.Text("sender")}
	own["Subject"] = d.translation(id, "subject", own, false).translate(c.Text("title"))
	record := append(c[:4:4], text("subject", own["Subject"]), text("attachments", attachments))
	if from, err := mail.ParseAddress(c.Text("sender")); err == nil {
		record = append(record, text("from_name", from.Name), text("from_address", from.Address))
	} else if c.Text("sender") != "" {
		d.refuse(movein.Problem{Record: "message", ID: id, Key: "from_email", Value: c.Text("sender"),
			Reason: "it is no address"})
	}
	return append(record, d.contents(id, c, own)...), nil
}

// contents returns the contents of a campaign with their email_type.
func (d *Database) contents(id int64, c movein.Record, own map[string]string) movein.Record {
	plain := d.translation(id, "text_content", own, false)
	switch c.Text("kind") {
	case "plain":
		return movein.Record{text("email_type", "plain"), text("text_content", plain.translate(c.Text("body")))}
	case "markdown":
		if c.Text("template") != "" {
			d.refuse(movein.Problem{Record: "message", ID: id, Key: "template_id",
				Reason: "a Message in Markdown has no template: its mails have the look of the Account"})
		}
		return movein.Record{text("email_type", "markdown"), text("text_content", plain.translate(c.Text("body")))}
	}
	body := c.Text("body")
	if c.Text("template") != "" && c.Text("kind") != "visual" {
		body = content.ReplaceAllLiteralString(c.Text("template"), c.Text("body"))
	}
	return movein.Record{text("email_type", "raw_html"), text("text_content", plain.translate(c.Text("plain"))),
		text("html_content", d.translation(id, "html_content", own, true).translate(body))}
}

// reportUnsent reports what a Message cannot say.
func (d *Database) reportUnsent(id int64, c movein.Record) {
	about := movein.Problem{Record: "message", ID: id}
	switch c.Text("status") {
	case "scheduled", "running", "paused":
		about.Key, about.Value, about.Reason = "status", c.Text("status"), "listmonk sends this campaign: it is not planned here"
		d.refuse(about)
	}
	var headers []map[string]string
	if err := json.Unmarshal([]byte(c.Text("headers")), &headers); err != nil || len(headers) > 0 {
		about.Key, about.Value, about.Reason = "headers", c.Text("headers"), "Messages have no headers of their own"
		d.refuse(about)
	}
	if c.Text("messenger") != "email" {
		about.Key, about.Value, about.Reason = "messenger", c.Text("messenger"), "the Message is an email"
		d.refuse(about)
	}
}
