package listmonk

import (
	"context"
	"fmt"
	"strings"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/movein"
)

// pageSize is the number of subscribers that one query reads.
const pageSize = 1000

// LastModified implements movein.Source. listmonk does not set updated_at with each change of a subscription, so the
// next Run must read all Contacts.
func (d *Database) LastModified(context.Context, int64) (int64, error) { return 0, nil }

// Contacts implements movein.Source. Who is blocklisted or has complained is unsubscribed. Who is disabled or has a
// hard bounce is not active, as after an import of such addresses.
func (d *Database) Contacts(ctx context.Context, list, after, _ int64) ([]movein.Record, error) {
	fields := d.fields[list]
	if fields == nil {
		return nil, fmt.Errorf("the Fields of the list %d were not read", list)
	}
	contacts, err := d.records(ctx, "subscribers", `
		SELECT s.id * $4::bigint + $1 AS id, `+seconds("l.created_at")+` AS creation_time,
			greatest(`+seconds("l.updated_at")+", "+seconds("s.updated_at")+`) AS last_modified_time,
			l.status::text = 'confirmed' AS double_opt_in,
			CASE WHEN l.status::text = 'confirmed' THEN `+seconds("l.updated_at")+` ELSE 0 END AS double_opt_in_time,
			s.status::text <> 'disabled' AND NOT hard AS is_active, hard AS is_bounce_deactivated,
			l.status::text = 'unsubscribed' OR s.status::text = 'blocklisted'
				OR EXISTS (SELECT 1 FROM bounces b WHERE b.subscriber_id = s.id AND b.type = 'complaint') AS is_unsubscribed,
			'other' AS subscribed_via, s.email AS email, s.name AS name, s.uuid::text AS uuid, s.attribs::text AS attributes
		FROM subscriber_lists l JOIN subscribers s ON s.id = l.subscriber_id,
			LATERAL (SELECT EXISTS (SELECT 1 FROM bounces b WHERE b.subscriber_id = s.id AND b.type = 'hard') AS hard) h
		WHERE l.list_id = $1 AND l.subscriber_id > $2 ORDER BY l.subscriber_id LIMIT $3`, list, after/d.factor,
		pageSize, d.factor)
	for i, c := range contacts {
		contacts[i] = append(c[:len(c)-len(ofSubscriber)], fields.values(c)...)
	}
	return contacts, err
}

// ofSubscriber are the last columns of a Contact: no keys of it, but what its Fields are made of.
var ofSubscriber = []string{"email", "name", "uuid", "attributes"}

// values returns the values of the Fields of a subscriber.
func (f *listFields) values(subscriber movein.Record) (values movein.Record) {
	name := subscriber.Text("name")
	first, last := splitName(name)
	for i, value := range []string{subscriber.Text("email"), name, first, last, subscriber.Text("uuid")} {
		values = append(values, text(f.key(int64(i)+1), value))
	}
	for _, v := range flatten([]byte(subscriber.Text("attributes"))) {
		if field, ok := f.attributes[v.attribute]; ok {
			values = append(values, enlist.Detail{Key: fmt.Sprintf("field_%d", field.ID), Value: valueOf(&field, v.value)})
		}
	}
	return values
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
	for last := int64(0); ; { // the entries of a subscriber are in one part
		part, err := d.records(ctx, "blocklist", `WITH entries AS (
				SELECT s.id, s.email, coalesce(complaint, `+seconds("s.updated_at")+`) AS changed,
					s.status = 'blocklisted' OR complaint IS NOT NULL AS everywhere,
					coalesce(lists, '{}') AS lists, coalesce(times, '{}') AS times
				FROM subscribers s
				LEFT JOIN (SELECT subscriber_id, extract(epoch FROM max(created_at))::bigint AS complaint FROM bounces
					WHERE type = 'complaint' GROUP BY 1) b ON b.subscriber_id = s.id
				LEFT JOIN LATERAL (SELECT array_agg(list_id ORDER BY list_id) AS lists,
					array_agg(`+seconds("updated_at")+` ORDER BY list_id) AS times FROM subscriber_lists
					WHERE subscriber_id = s.id AND status = 'unsubscribed') l ON true
				WHERE s.id > $1),
			page AS (SELECT * FROM entries WHERE everywhere OR lists <> '{}' ORDER BY id LIMIT $2)
			SELECT id AS subscriber, 0::bigint AS contact_id, 0 AS list_id, 'email' AS address_type, email AS address,
				changed AS time FROM page WHERE everywhere
			UNION ALL
			SELECT id, id * $3::bigint + list, list, 'email', email, at FROM page, unnest(lists, times) AS l (list, at)
			ORDER BY subscriber, list_id`, last, pageSize, d.factor)
		if err != nil || len(part) == 0 {
			return read, err
		}
		if err := store(part); err != nil {
			return read, err
		}
		read, last = read+len(part), part[len(part)-1].Int("subscriber")
	}
}

// Consents implements movein.Source. listmonk stores for each subscription when it began, its last change, and with the
// setting privacy.record_optin_ip the IP address of the confirmation. It stores no text, so the type is not_recorded.
func (d *Database) Consents(ctx context.Context, list int64, _ bool, ids []enlist.ContactID) (
	[]movein.Consents, error) {
	all, position := make([]movein.Consents, len(ids)), make(map[int64]int)
	subscribers := make([]int64, len(ids))
	for i, id := range ids {
		all[i].Contact, subscribers[i] = id, int64(id)/d.factor
		position[subscribers[i]] = i
	}
	rows, err := d.records(ctx, "subscriptions", `WITH subscriptions AS (
			SELECT s.id, `+seconds("l.created_at")+" AS created, "+seconds("l.updated_at")+" AS changed, "+
		seconds("s.updated_at")+` AS updated, s.status::text AS state, l.status::text AS status,
				coalesce(l.meta->>'optin_ip', '') AS ip
			FROM subscriber_lists l JOIN subscribers s ON s.id = l.subscriber_id
			WHERE l.list_id = $1 AND l.subscriber_id = ANY ($2))
		SELECT id, 1 AS number, created AS time, 'listmonk: subscribed' AS method, '`+string(contacts.ConsentNotRecorded)+`' AS consent_type,
			CASE WHEN ip = '' OR status = 'confirmed' THEN ''
				ELSE 'listmonk has recorded a confirmation, without its time' END AS consent_text,
			CASE WHEN status = 'confirmed' THEN '' ELSE ip END AS ip_address FROM subscriptions
		UNION ALL SELECT id, 2, changed, 'listmonk: ' || status, '', '', CASE WHEN status = 'confirmed' THEN ip ELSE '' END
			FROM subscriptions WHERE status IN ('confirmed', 'unsubscribed')
		UNION ALL SELECT id, 3, updated, 'listmonk: blocklisted', '', '', ''
			FROM subscriptions WHERE state = 'blocklisted' AND status <> 'unsubscribed'
		ORDER BY id, number DESC`, list, subscribers) // the newest row is the first
	for _, row := range rows {
		c := &all[position[row.ID()]]
		c.Rows = append(c.Rows, row)
	}
	return all, err
}
