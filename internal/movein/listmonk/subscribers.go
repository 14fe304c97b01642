package listmonk

import (
	"context"
	"fmt"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/movein"

	"github.com/jackc/pgx/v5"
)

// pageSize is the number of subscribers that one query reads.
const pageSize = 1000

// contactID returns the ID of the Contact for a subscriber of a list.
func (d *Database) contactID(list, subscriber int64) int64 { return subscriber*d.factor + list }

// LastModified implements movein.Source. listmonk does not set updated_at with each change of a subscription, so the
// next Run must read all Contacts.
func (d *Database) LastModified(context.Context, int64) (int64, error) { return 0, nil }

// Contacts implements movein.Source. Who is blocklisted or has complained is unsubscribed. Who is disabled or has a
// hard bounce is not active, as after an import of such addresses.
func (d *Database) Contacts(ctx context.Context, list, after, _ int64) (contacts []movein.Record, err error) {
	err = d.each(ctx, "subscribers", func(row pgx.CollectableRow) error {
		contact, err := d.contact(row, list)
		contacts = append(contacts, contact)
		return err
	}, `SELECT s.id, s.uuid::text, s.email, s.name, s.attribs::text, s.status::text, l.status::text,
			`+seconds("l.created_at")+", "+seconds("l.updated_at")+", "+seconds("s.updated_at")+`,
			EXISTS (SELECT 1 FROM bounces b WHERE b.subscriber_id = s.id AND b.type = 'hard'),
			EXISTS (SELECT 1 FROM bounces b WHERE b.subscriber_id = s.id AND b.type = 'complaint')
		FROM subscriber_lists l JOIN subscribers s ON s.id = l.subscriber_id
		WHERE l.list_id = $1 AND l.subscriber_id > $2 ORDER BY l.subscriber_id LIMIT $3`, list, after/d.factor,
		pageSize)
	return contacts, err
}

// contact reads a Contact.
func (d *Database) contact(row pgx.CollectableRow, list int64) (movein.Record, error) {
	var id, created, changed, updated int64
	var uuid, email, name, status, subscription string
	var attributes []byte
	var hard, complaint bool
	err := row.Scan(&id, &uuid, &email, &name, &attributes, &status, &subscription, &created, &changed, &updated, &hard,
		&complaint)
	if err != nil {
		return nil, err
	}
	confirmed := int64(0)
	if subscription == "confirmed" {
		confirmed = changed
	}
	fields := d.fields[list]
	if fields == nil {
		return nil, fmt.Errorf("the Fields of the list %d were not read", list)
	}
	contact := movein.Record{number("id", d.contactID(list, id)), number("creation_time", created),
		number("last_modified_time", max(changed, updated)), flag("double_opt_in", confirmed > 0),
		number("double_opt_in_time", confirmed), flag("is_active", status != "disabled" && !hard),
		flag("is_bounce_deactivated", hard),
		flag("is_unsubscribed", subscription == "unsubscribed" || status == "blocklisted" || complaint),
		text("subscribed_via", "other")}
	first, last := splitName(name)
	for i, value := range []string{email, name, first, last, uuid} {
		contact = append(contact, text(fields.key(int64(i)+1), value))
	}
	for _, v := range flatten(attributes) {
		field, ok := fields.attributes[v.attribute]
		if ok {
			contact = append(contact, enlist.Detail{Key: fmt.Sprintf("field_%d", field.ID),
				Value: movein.AttributeValue(&field, v.value)})
		}
	}
	return contact, nil
}

// key returns the key of one of the Fields of every List.
func (f *listFields) key(number int64) string { return fmt.Sprintf("field_%d", f.first+number) }

// splitName returns the first and the last name of a name that has two words. Any other name becomes the first name,
// because "Ada King of Lovelace" does not say where the last name begins.
func splitName(name string) (first, last string) {
	words := strings.Fields(name)
	if len(words) != 2 {
		return name, ""
	}
	return words[0], words[1]
}

// Unsubscribers implements movein.Source: the blocklisted subscribers, those that have complained, and the ended
// subscriptions.
func (d *Database) Unsubscribers(ctx context.Context, store func([]movein.Record) error) (read int, err error) {
	last := int64(0) // the entries of a subscriber are in one part
	for {
		var part []movein.Record
		n := 0
		err := d.each(ctx, "blocklist", func(row pgx.CollectableRow) error {
			var id, changed int64
			var email string
			var everywhere bool
			var lists, times []int64
			if err := row.Scan(&id, &email, &changed, &everywhere, &lists, &times); err != nil {
				return err
			}
			last = id
			n++
			if everywhere {
				part = append(part, entry(0, 0, email, changed))
			}
			for i, list := range lists {
				part = append(part, entry(d.contactID(list, id), list, email, times[i]))
			}
			return nil
		}, `SELECT id, email, changed, everywhere, lists, times FROM (
				SELECT s.id, s.email, coalesce(complaint, `+seconds("s.updated_at")+`) AS changed,
					s.status = 'blocklisted' OR complaint IS NOT NULL AS everywhere,
					coalesce(lists, '{}') AS lists, coalesce(times, '{}') AS times
				FROM subscribers s
				LEFT JOIN (SELECT subscriber_id, extract(epoch FROM max(created_at))::bigint AS complaint FROM bounces
					WHERE type = 'complaint' GROUP BY 1) b ON b.subscriber_id = s.id
				LEFT JOIN LATERAL (SELECT array_agg(list_id ORDER BY list_id) AS lists,
					array_agg(`+seconds("updated_at")+` ORDER BY list_id) AS times FROM subscriber_lists
					WHERE subscriber_id = s.id AND status = 'unsubscribed') l ON true
				WHERE s.id > $1) entries
			WHERE everywhere OR lists <> '{}' ORDER BY id LIMIT $2`, last, pageSize)
		if err != nil {
			return read, err
		}
		if err := store(part); err != nil {
			return read, err
		}
		read += len(part)
		if n < pageSize {
			return read, nil
		}
	}
}

// entry returns an entry of the Unsubscriber List.
func entry(contact, list int64, email string, time int64) movein.Record {
	return movein.Record{number("contact_id", contact), number("list_id", list), text("address_type", "email"),
		text("address", email), number("time", time)}
}
