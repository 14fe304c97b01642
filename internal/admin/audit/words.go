package audit

import (
	"strings"

	"enlist/internal/admin/ui"
)

// This file has the words of the log: the kinds of records, and the names of their values. The methods of the API and the
// URLs of requests stay as they are.

// kinds are the keys of the texts of the kinds of records.
var kinds = map[string]string{"Account": "audit.kind_account", "AuditLog": "audit.kind_audit_log", "Autoresponder": "audit.kind_autoresponder",
	"Backup": "audit.kind_backup", "Batch": "audit.kind_batch", "Contact": "audit.kind_contact", "Database": "audit.kind_database",
	"Export": "audit.kind_export", "Field": "audit.kind_field", "File": "audit.kind_file", "Folder": "audit.kind_folder",
	"Form": "audit.kind_form", "Hold": "audit.kind_hold", "Import": "audit.kind_import", "Index": "audit.kind_index", "Job": "audit.kind_job", "Key": "audit.kind_key", "List": "audit.kind_list",
	"Message": "audit.kind_message", "Passkey": "audit.kind_passkey", "Person": "audit.kind_person", "Preference": "audit.kind_preference",
	"SavedBlock": "audit.kind_saved_block", "Segment": "audit.kind_segment", "SendingDomain": "audit.kind_sending_domain",
	"Session": "audit.kind_session", "Settings": "audit.kind_settings", "Theme": "audit.kind_theme",
	"Unsubscriber": "audit.kind_unsubscriber", "User": "audit.kind_user", "Webhook": "audit.kind_webhook"}

// names are the keys of the labels that the inputs of the values have on other pages. A value without an input keeps the name
// that it has in the API.
var names = map[string]string{"accent_colour": "design.accent", "background_colour": "design.background", "card_colour": "design.card",
	"click_policy": "lists.click_policy", "confirmation_subject": "messages.subject_label", "consent_text": "forms.agree",
	"contacts": "home.contacts", "country_code": "lists.country", "creation_time": "sending.when", "description": "forms.description_text",
	"disallow_duplicate_contacts": "lists.no_duplicates", "double_opt_in_required": "lists.confirms", "email": "members.email",
	"field": "contacts.field", "file_name": "images.name", "folder_id": "lists.folder", "font": "design.font",
	"from_address": "lists.from_address", "from_name": "lists.from_name", "is_active": "autoresponders.is_active",
	"is_gdpr_compliant": "lists.gdpr", "is_open": "forms.open_box", "language": "you.language", "level": "ui.may",
	"list_id": "webhooks.of", "logo_file_id": "design.logo", "logo_text": "design.logo_text", "logo_width": "design.logo_width",
	"message_id": "autoresponders.message", "name": "account.name", "on_register_address": "lists.notify_subscribe",
	"on_unsubscribe_address": "lists.notify_unsubscribe", "on_update_address": "lists.notify_change", "open_policy": "lists.open_policy",
	"rate": "keys.rate", "reason": "sending.why", "reply_to": "messages.replies_go_label", "role": "ui.role",
	"segment_id": "autoresponders.to_whom", "send_time": "sending.when", "size": "images.size", "strict": "keys.strict",
	"subject": "messages.subject_label", "text_colour": "design.text", "timezone": "account.zone", "track": "autoresponders.track",
	"track_clicks": "lists.track_clicks", "track_opens": "lists.track_opens", "tracking_consent": "contacts.key_tracking",
	"tracking_policy": "account.tracking_policy", "type": "lists.field_type", "url": "webhooks.post_to", "width": "design.width"}

// kindOf returns what the record of a row is, in words.
func kindOf(r *ui.Request, kind string) string {
	if key := kinds[kind]; key != "" {
		return r.Text(key)
	}
	return kind
}

// nameOf returns what a value is called on the pages.
func nameOf(r *ui.Request, name string) string {
	if key := names[name]; key != "" {
		return r.Text(key)
	}
	return strings.ReplaceAll(name, "_", " ")
}

// kindOptions are the kinds of records, in the order of the language.
func kindOptions(r *ui.Request) []ui.Option {
	var all []ui.Option
	for kind, key := range kinds {
		all = append(all, ui.Option{Value: kind, Text: r.Text(key)})
	}
	r.SortOptions(all)
	return append([]ui.Option{{Text: r.Text("audit.anything")}}, all...)
}
