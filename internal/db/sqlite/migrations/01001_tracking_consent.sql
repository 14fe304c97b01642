-- Consent to the recording of opens and clicks.

-- +goose Up

-- Who is recorded: off (nobody), ask (who has agreed) or inform (who has not refused).
ALTER TABLE account ADD COLUMN tracking_policy TEXT NOT NULL DEFAULT 'inform';
-- 1: what a person decides holds for all Lists of the Account.
ALTER TABLE account ADD COLUMN shares_tracking INTEGER NOT NULL DEFAULT 0;
-- 1: a user has chosen the policy; until then the first page says that there is a choice.
ALTER TABLE account ADD COLUMN chose_tracking INTEGER NOT NULL DEFAULT 0;
-- As of the Account; '': its policy. They have no effect while the flags track_opens and track_clicks are 0.
ALTER TABLE list ADD COLUMN open_policy TEXT NOT NULL DEFAULT '';
ALTER TABLE list ADD COLUMN click_policy TEXT NOT NULL DEFAULT '';

-- What the person has decided last: 0 nothing, 1 agreed, 2 refused.
ALTER TABLE contact ADD COLUMN tracking_consent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE contact ADD COLUMN tracking_time INTEGER NOT NULL DEFAULT 0;
-- The decision of a row, as of contact. Such a row has no type.
ALTER TABLE consent ADD COLUMN tracking_consent INTEGER NOT NULL DEFAULT 0;
-- Of the text that the person has read.
ALTER TABLE consent ADD COLUMN text_version TEXT NOT NULL DEFAULT '';
DROP TRIGGER consent_is_never_changed;
-- +goose StatementBegin
CREATE TRIGGER consent_is_never_changed BEFORE UPDATE ON consent
WHEN NOT (NEW.text = '' AND NEW.ip = '' AND NEW.preferences = '' AND NEW.import_row = 0
	AND NEW.list_id = OLD.list_id AND NEW.contact_id = OLD.contact_id AND NEW.number = OLD.number AND NEW.time = OLD.time
	AND NEW.method = OLD.method AND NEW.type = OLD.type AND NEW.key_id = OLD.key_id AND NEW.import_id = OLD.import_id
	AND NEW.tracking_consent = OLD.tracking_consent AND NEW.text_version = OLD.text_version)
BEGIN
	SELECT raise(ABORT, 'the consent ledger is append-only');
END;
-- +goose StatementEnd
