package lists

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

func mapAutoresponder(m *db.Mapper, a *enlist.Autoresponder) {
	m.ID("id", (*int64)(&a.ID))
	m.Fixed("account_id", (*int64)(&a.AccountID))
	m.Value("list_id", (*int64)(&a.ListID))
	m.Fixed("creator_key_id", (*int64)(&a.CreatorKeyID))
	m.Fixed("creator_name", &a.CreatorName)
	m.Fixed("creation_time", &a.CreationTime)
	m.Value("last_modified_time", &a.LastModifiedTime)
	m.Value("message_id", (*int64)(&a.MessageID))
	m.Value("event_type", (*string)(&a.Event))
	m.Value("folder_id", (*int64)(&a.FolderID))
	m.Value("time_zone", &a.TimeZone)
	m.Value("is_active", &a.IsActive)
	m.Value("criteria_type", &a.CriteriaType)
	m.Value("criteria_timestamp", &a.Timestamp)
	m.Value("offset_value", &a.OffsetValue)
	m.Value("offset_period", &a.OffsetPeriod)
	m.Value("specific_hour", &a.SpecificHour)
	m.Value("specific_minute", &a.SpecificMinute)
	m.Value("segment_id", (*int64)(&a.SegmentID))
	m.Value("untracked", &a.Untracked)
}

var AutoresponderTable = db.NewMapping("autoresponder", mapAutoresponder)

func Autoresponders(tx *db.Tx, where string, args ...any) ([]enlist.Autoresponder, error) {
	return AutoresponderTable.All(tx, "WHERE "+where+" ORDER BY id", args...)
}

// mapWebhook describes the table webhook, joined with the target of each row.
func mapWebhook(m *db.Mapper, w *enlist.Webhook) {
	m.ID("id", (*int64)(&w.ID))
	m.ReadAs("webhook.id")
	m.Fixed("account_id", (*int64)(&w.AccountID))
	m.ReadAs("webhook.account_id")
	m.Value("list_id", (*int64)(&w.ListID))
	m.Value("object", (*string)(&w.Object))
	m.Value("event", (*string)(&w.Event))
	m.Fixed("creation_time", &w.CreationTime)
	m.Value("last_modified_time", &w.LastModifiedTime)
	m.Value("target_id", (*int64)(&w.Target))
	m.Computed("url", &w.URL)
	m.Computed("secret", &w.Secret)
	m.Computed("is_failing", &w.IsFailing)
	m.Computed("last_error", &w.LastError)
}

var WebhookTable = db.NewMapping("webhook", mapWebhook)

func Webhooks(tx *db.Tx, where string, args ...any) ([]enlist.Webhook, error) {
	const withTarget = "JOIN webhook_target ON webhook_target.id = target_id WHERE "
	return WebhookTable.All(tx, withTarget+where+" ORDER BY webhook.id", args...)
}
