package events

import (
	"math"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores the targets of webhooks and the events that wait for them. If several webhooks of an Account have
// the same URL and secret, they share one target. The target has the queue of the webhooks' events and the state of the
// delivery.

// WebhookTarget is the receiver of webhooks. Webhooks of an Account with the same URL and
// secret share one target, so that their events arrive together and in order. decisions.md: 52
type WebhookTarget struct {
	ID         enlist.WebhookTargetID
	AccountID  enlist.AccountID
	URL        string
	Secret     string
	IsFailing  bool
	IsOrphaned bool // no webhook refers to it any more

	// The state of the delivery. Times are in Unix seconds.
	Failures      int64  // number of failed attempts after the last success
	NextTime      int64  // the next attempt must not start before this time
	ScheduledTime int64  // when the waiting job was enqueued; 0: no job waits
	LeaseTime     int64  // end of the lease: until this time only the holder may post
	Holder        int64  // ID of the job that has the lease, or had it last
	Batch         string // ID of the batch that is being tried
	BatchUpto     int64  // ID of the last event of that batch
	LastError     string
}

var webhookTargetTable = db.NewMapping("webhook_target", mapWebhookTarget)

// FindWebhookTarget sets the target of a webhook. It stores a new target if the Account has no target with
// the URL and the secret of the webhook.
func FindWebhookTarget(tx *db.Tx, w *enlist.Webhook) error {
	if err := tx.LockDefinitions(); err != nil {
		return err
	}
	const (
		find = "SELECT id FROM webhook_target WHERE account_id = ? AND url = ? AND secret = ?"
		add  = "INSERT INTO webhook_target (account_id, url, secret) VALUES (?, ?, ?)"
	)
	id, err := tx.Number(find, int64(w.AccountID), w.URL, w.Secret)
	if err == nil && id == 0 {
		id, err = tx.Insert(add, int64(w.AccountID), w.URL, w.Secret)
	}
	w.Target = enlist.WebhookTargetID(id)
	return err
}

// LoadWebhookTarget returns the target with an ID, or ErrNotFound. A transaction that writes locks the target.
// The lock waits for transactions that are inserting events. So events that are inserted later have higher
// IDs than all events that this transaction can see.
func LoadWebhookTarget(tx *db.Tx, id enlist.WebhookTargetID) (*WebhookTarget, error) {
	if tx.Writes {
		if err := lockTarget(tx, db.Exclusive, id); err != nil {
			return nil, err
		}
	}
	return webhookTargetTable.One(tx, enlist.ErrNotFound, "WHERE id = ?", int64(id))
}

func mapWebhookTarget(m *db.Mapper, w *WebhookTarget) {
	m.ID("id", (*int64)(&w.ID))
	m.Fixed("account_id", (*int64)(&w.AccountID))
	m.Fixed("url", &w.URL)
	m.Fixed("secret", &w.Secret)
	m.Computed("is_failing", &w.IsFailing) // only SetWebhookFailing changes it
	m.Value("failures", &w.Failures)
	m.Value("next_time", &w.NextTime)
	m.Value("lease_time", &w.LeaseTime)
	m.Value("holder", &w.Holder)
	m.Value("batch", &w.Batch)
	m.Value("batch_upto", &w.BatchUpto)
	m.Value("last_error", &w.LastError)
	m.Value("call_time", &w.ScheduledTime)
	m.Computed(withoutWebhooks, &w.IsOrphaned)
}

// withoutWebhooks is the condition that no webhook uses a row of webhook_target.
const withoutWebhooks = "NOT EXISTS (SELECT 1 FROM webhook WHERE target_id = webhook_target.id)"

// Save stores the state of the delivery to a target.
func (w *WebhookTarget) Save(tx *db.Tx) error { return webhookTargetTable.Save(tx, w) }

// SetWebhookFailing stores whether the server has stopped the delivery to a target after many failures.
func SetWebhookFailing(tx *db.Tx, id enlist.WebhookTargetID, is bool) error {
	return tx.Define("UPDATE webhook_target SET is_failing = ? WHERE id = ?", db.Bit(is), int64(id))
}

// Release ends the lease. If more is true, events may still wait, and Release enqueues a job
// for them. If more is false, it drops an orphaned target.
func (w *WebhookTarget) Release(tx *db.Tx, more bool) error {
	w.LeaseTime = 0
	if err := w.Save(tx); err != nil {
		return err
	}
	switch {
	case more:
		return tx.Enqueue(DeliverWebhook{Target: w.ID, Account: w.AccountID})
	case w.IsOrphaned:
		return DropWebhookTarget(tx, w.ID)
	}
	return nil
}

// GiveUp marks the target's webhooks as failing. Their events are kept until a caller edits a
// webhook or the operator retries the job. The events of an orphaned target are deleted.
func (w *WebhookTarget) GiveUp(tx *db.Tx) error {
	w.NextTime = 0
	if err := w.Save(tx); err != nil {
		return err
	}
	if !w.IsFailing {
		if err := SetWebhookFailing(tx, w.ID, true); err != nil {
			return err
		}
	}
	if w.IsOrphaned {
		return tx.Enqueue(DeliverWebhook{Target: w.ID, Account: w.AccountID})
	}
	return nil
}

// DropWebhookTarget removes a target that has neither webhooks nor events. Otherwise it does nothing.
func DropWebhookTarget(tx *db.Tx, id enlist.WebhookTargetID) error {
	return DropTargets(tx, "id = ?", int64(id))
}

func DropTargets(tx *db.Tx, where string, args ...any) error {
	return tx.Do("DELETE FROM webhook_target WHERE "+where+" AND "+withoutWebhooks+
		" AND NOT EXISTS (SELECT 1 FROM webhook_event WHERE target_id = webhook_target.id)", args...)
}

// OrphanedWebhookTargets returns the IDs of the failing targets that no webhook uses any more.
func OrphanedWebhookTargets(tx *db.Tx) (ids []enlist.WebhookTargetID, err error) {
	return db.IDsOf[enlist.WebhookTargetID](tx,
		"SELECT id FROM webhook_target WHERE is_failing = 1 AND "+withoutWebhooks+" ORDER BY id")
}

// WebhookEvents returns the oldest events in the queue of a target. It returns at most limit events. If
// upto is not 0, their IDs are at most upto.
func WebhookEvents(tx *db.Tx, id enlist.WebhookTargetID, upto int64, limit int) ([]enlist.WebhookEvent, error) {
	if upto <= 0 {
		upto = math.MaxInt64
	}
	const oldest = "WHERE target_id = ? AND id <= ? ORDER BY id" + db.Limited
	return webhookEventTable.All(tx, oldest, int64(id), upto, int64(limit))
}

// RemoveWebhookEvents removes events from the queue of a target. It removes each event by its ID, because
// the queue can contain other events with IDs between those of these.
func RemoveWebhookEvents(tx *db.Tx, id enlist.WebhookTargetID, all []enlist.WebhookEvent) error {
	for i := range all {
		err := tx.Do("DELETE FROM webhook_event WHERE id = ? AND target_id = ?", all[i].ID, int64(id))
		if err != nil {
			return err
		}
	}
	return nil
}

// oldestEvents is a subquery for the IDs of the oldest events in the queue of a target. It finds the events
// of one webhook, or of all webhooks if the argument for the webhook is 0.
const oldestEvents = `(SELECT e.id FROM webhook_event e WHERE e.target_id = ?
	AND (CAST(? AS BIGINT) = 0 OR e.webhook_id = ?) ORDER BY e.id` + db.Limited + ")"

// PersonEvents is what this package has of a person.
var PersonEvents = db.PersonTable{Name: "webhook_event",
	Contact: "list_id = ? AND contact_id = ?", Order: " ORDER BY id",
	Columns: "list_id contact_id id target_id webhook_id object event time batch_id"}

// RemoveByID removes events that wait.
func RemoveByID(tx *db.Tx, ids []int64) error {
	test, arg, err := db.OneOfIDs(tx, ids)
	if err != nil {
		return err
	}
	return tx.Do("DELETE FROM webhook_event WHERE id"+test, arg)
}

// ForgetAccesses removes events that wait and tell of opens and clicks of a Contact between two times. No index has the
// Contact, but few events wait.
func ForgetAccesses(tx *db.Tx, list enlist.ListID, contact enlist.ContactID, since, until int64) error {
	return tx.Do(`DELETE FROM webhook_event WHERE list_id = ? AND contact_id = ? AND event IN (?, ?)
		AND time >= ? AND time < ?`, int64(list), int64(contact), string(enlist.WebhookOpened),
		string(enlist.WebhookClicked), since, until)
}

// DeleteWebhookEvents removes at most limit events from the queue of a target. It removes the events of one
// webhook, or of all webhooks if webhook is 0.
func DeleteWebhookEvents(tx *db.Tx, id enlist.WebhookTargetID, webhook enlist.WebhookID, limit int) (
	removed int, err error) {
	n, err := tx.Exec("DELETE FROM webhook_event WHERE id IN "+oldestEvents,
		int64(id), int64(webhook), int64(webhook), int64(limit))
	return int(n), err
}

// MoveWebhookEvents moves at most limit events of a webhook to the queue of another target.
func MoveWebhookEvents(tx *db.Tx, webhook enlist.WebhookID, from, to enlist.WebhookTargetID, limit int) (
	moved int, err error) {
	n, err := tx.Exec("UPDATE webhook_event SET target_id = ? WHERE id IN "+oldestEvents,
		int64(to), int64(from), int64(webhook), int64(webhook), int64(limit))
	return int(n), err
}

// posted selects events of targets that are not failing.
const posted = "FROM webhook_event WHERE target_id IN (SELECT id FROM webhook_target WHERE is_failing = 0)"

// WaitingEvents returns how many events wait for webhooks that are not failing, when the oldest happened, and how many
// happened until upto.
func WaitingEvents(tx *db.Tx, upto int64) (count, oldest, before int64, err error) {
	err = tx.Row([]any{&count, &oldest, &before}, "SELECT count(*), min(time), sum(CASE WHEN time <= ? THEN 1 ELSE 0 END) "+posted, upto)
	return count, oldest, before, err
}

// DiscardWaiting deletes up to limit events of webhooks that are not failing and that happened until upto.
func DiscardWaiting(tx *db.Tx, upto int64, limit int) (int64, error) {
	return tx.Exec("DELETE FROM webhook_event WHERE id IN (SELECT id "+posted+
		" AND time <= ? ORDER BY id LIMIT CAST(? AS BIGINT))", upto, int64(limit))
}

// WaitingTargets returns a job for each webhook target that has events.
func WaitingTargets(tx *db.Tx) ([]DeliverWebhook, error) {
	return db.RowsOf(tx, func(row *db.Cursor) DeliverWebhook {
		return DeliverWebhook{Target: enlist.WebhookTargetID(row.Int()), Account: enlist.AccountID(row.Int())}
	}, `SELECT id, account_id FROM webhook_target
		WHERE EXISTS (SELECT 1 FROM webhook_event WHERE target_id = webhook_target.id) ORDER BY id`)
}

// RemoveTargets removes the targets of an Account.
func RemoveTargets(tx *db.Tx, account enlist.AccountID) error {
	return tx.Do("DELETE FROM webhook_target WHERE account_id = ?", int64(account))
}

// OldestEvent returns when the oldest event happened that waits for a target which is not failing, and how many targets
// are failing. It reads all targets, and one entry of the index (target_id, id) for each: about 5 µs for a target.
func OldestEvent(tx *db.Tx) (oldest, failing int64, err error) {
	err = tx.Row([]any{&oldest, &failing}, `SELECT coalesce(min(oldest), 0), coalesce(sum(failing), 0) FROM (
		SELECT CASE WHEN is_failing = 0 THEN (SELECT time FROM webhook_event WHERE target_id = webhook_target.id
			ORDER BY target_id, id LIMIT 1) END AS oldest, CASE WHEN is_failing = 1 THEN 1 ELSE 0 END AS failing
		FROM webhook_target) target`)
	return oldest, failing, err
}
