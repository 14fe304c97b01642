package listmonk

import (
	"context"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/movein"

	"github.com/jackc/pgx/v5"
)

// The methods of the rows that are moved into the consent ledger.
const (
	subscribed   = "listmonk: subscribed"
	confirmed    = "listmonk: confirmed"
	unsubscribed = "listmonk: unsubscribed"
	blocklisted  = "listmonk: blocklisted"
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
	err := d.each(ctx, "subscriptions", func(row pgx.CollectableRow) error {
		var id, created, changed, updated int64
		var status, subscription, ip string
		if err := row.Scan(&id, &created, &changed, &updated, &status, &subscription, &ip); err != nil {
			return err
		}
		first := movein.Record{number("time", created), text("method", subscribed),
			text("consent_type", string(contacts.ConsentNotRecorded))}
		if ip != "" && subscription != "confirmed" {
			first = append(first, text("consent_text", "listmonk has recorded a confirmation, without its time"),
				text("ip_address", ip))
		}
		rows := []movein.Record{first}
		later := func(method string, time int64, more ...enlist.Detail) { // at the front: the newest row is the first
			rows = append([]movein.Record{append(movein.Record{number("time", time), text("method", method)}, more...)},
				rows...)
		}
		switch subscription {
		case "confirmed":
			later(confirmed, changed, text("ip_address", ip))
		case "unsubscribed":
			later(unsubscribed, changed)
		}
		if status == "blocklisted" && subscription != "unsubscribed" {
			later(blocklisted, updated)
		}
		all[position[id]].Rows = rows
		return nil
	}, "SELECT s.id, "+seconds("l.created_at")+", "+seconds("l.updated_at")+", "+seconds("s.updated_at")+
		`, s.status::text,
			l.status::text, coalesce(l.meta->>'optin_ip', '')
		FROM subscriber_lists l JOIN subscribers s ON s.id = l.subscriber_id
		WHERE l.list_id = $1 AND l.subscriber_id = ANY ($2)`, list, subscribers)
	return all, err
}
