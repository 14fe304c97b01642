package listmonk

import (
	"context"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/movein"
)

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
