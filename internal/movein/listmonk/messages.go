package listmonk

import (
	"context"
	"encoding/json"
	"enlist/internal/movein"
	"errors"
	"fmt"
	"net/mail"

	"github.com/jackc/pgx/v5"
)

// The ID of the Message for a campaign is ten times its ID. For a template it is one more, because campaigns and
// templates have the same IDs.
const (
	messageFactor = 10
	ofTemplate    = 1
)

// Messages implements movein.Source: the campaigns and the templates.
func (d *Database) Messages(ctx context.Context) (messages []movein.Record, err error) {
	err = d.each(ctx, "campaigns", func(row pgx.CollectableRow) error {
		var id int64
		if err := row.Scan(&id); err != nil {
			return err
		}
		messages = append(messages, movein.Record{number("id", id)})
		return nil
	}, "SELECT id * $1::bigint AS id FROM campaigns UNION ALL SELECT id * $1 + $2 FROM templates ORDER BY id",
		messageFactor, ofTemplate)
	return messages, err
}

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
	var name, kind, subject, body string
	var created, updated int64
	err := d.conn.QueryRow(ctx, "SELECT name, type::text, subject, body, "+seconds("created_at")+", "+
		seconds("updated_at")+
		" FROM templates WHERE id = $1", id/messageFactor).Scan(&name, &kind, &subject, &body, &created, &updated)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if subject == "" {
		subject = name
	}
	body = content.ReplaceAllString(body, "<!-- here is the content of the campaign -->")
	return movein.Record{number("id", id), number("creation_time", created), number("last_modified_time", updated),
		text("name", "Template: "+name), text("email_type", "raw_html"),
		text("subject", d.translation(id, "subject", nil, false).translate(subject)),
		text("html_content", d.translation(id, "html_content", nil, true).translate(body))}, nil
}

// storedCampaign is a row of the table campaigns, with the body of its template.
type storedCampaign struct {
	name, subject, from, body, plain, kind, status, messenger, template string
	headers                                                             []byte
	created, updated, sendAt                                            int64
}

// campaign returns a campaign as a Message: its body in its template.
func (d *Database) campaign(ctx context.Context, id int64) (movein.Record, error) {
	var c storedCampaign
	err := d.conn.QueryRow(ctx, `SELECT c.name, c.subject, c.from_email, c.body, coalesce(c.altbody, ''),
			c.content_type::text, c.status::text, c.messenger, coalesce(t.body, ''), c.headers::text,
			`+seconds("c.created_at")+", "+seconds("c.updated_at")+`, coalesce(extract(epoch FROM c.send_at)::bigint, 0)
		FROM campaigns c LEFT JOIN templates t ON t.id = c.template_id WHERE c.id = $1`, id/messageFactor).
		Scan(&c.name, &c.subject, &c.from, &c.body, &c.plain, &c.kind, &c.status, &c.messenger, &c.template, &c.headers,
			&c.created, &c.updated, &c.sendAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d.reportUnsent(id, &c)
	attachments, err := d.attachments(ctx, id)
	if err != nil {
		return nil, err
	}
	own := map[string]string{"Name": c.name, "FromEmail": c.from}
	own["Subject"] = d.translation(id, "subject", own, false).translate(c.subject)
	record := movein.Record{number("id", id), number("creation_time", c.created),
		number("last_modified_time", c.updated), text("name", c.name), text("subject", own["Subject"]),
		text("attachments", attachments)}
	if from, err := mail.ParseAddress(c.from); err == nil {
		record = append(record, text("from_name", from.Name), text("from_address", from.Address))
	} else if c.from != "" {
		d.refuse(movein.Problem{Record: "message", ID: id, Key: "from_email", Value: c.from,
			Reason: "it is no address"})
	}
	return append(record, d.contents(id, &c, own)...), nil
}

// contents returns the contents of a campaign with their email_type.
func (d *Database) contents(id int64, c *storedCampaign, own map[string]string) movein.Record {
	plain := d.translation(id, "text_content", own, false)
	switch c.kind {
	case "plain":
		return movein.Record{text("email_type", "plain"), text("text_content", plain.translate(c.body))}
	case "markdown":
		if c.template != "" {
			d.refuse(movein.Problem{Record: "message", ID: id, Key: "template_id",
				Reason: "a Message in Markdown has no template: its mails have the look of the Account"})
		}
		return movein.Record{text("email_type", "markdown"), text("text_content", plain.translate(c.body))}
	}
	body := c.body
	if c.template != "" && c.kind != "visual" {
		body = content.ReplaceAllLiteralString(c.template, c.body)
	}
	return movein.Record{text("email_type", "raw_html"), text("text_content", plain.translate(c.plain)),
		text("html_content", d.translation(id, "html_content", own, true).translate(body))}
}

// reportUnsent reports what a Message cannot say.
func (d *Database) reportUnsent(id int64, c *storedCampaign) {
	about := movein.Problem{Record: "message", ID: id}
	switch c.status {
	case "scheduled", "running", "paused":
		about.Key, about.Value, about.Reason = "status", c.status, "listmonk sends this campaign: it is not planned here"
		d.refuse(about)
	}
	var headers []map[string]string
	if err := json.Unmarshal(c.headers, &headers); err != nil || len(headers) > 0 {
		about.Key, about.Value, about.Reason = "headers", string(c.headers), "Messages have no headers of their own"
		d.refuse(about)
	}
	if c.messenger != "email" {
		about.Key, about.Value, about.Reason = "messenger", c.messenger, "the Message is an email"
		d.refuse(about)
	}
}
