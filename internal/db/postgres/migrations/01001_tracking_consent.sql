-- Consent to the recording of opens and clicks.

-- +goose Up

-- Who is recorded: off (nobody), ask (who has agreed) or inform (who has not refused).
ALTER TABLE account ADD COLUMN tracking_policy TEXT COLLATE "C" NOT NULL DEFAULT 'inform';
-- 1: what a person decides holds for all Lists of the Account.
ALTER TABLE account ADD COLUMN shares_tracking SMALLINT NOT NULL DEFAULT 0;
-- 1: a user has chosen the policy; until then the first page says that there is a choice.
ALTER TABLE account ADD COLUMN chose_tracking SMALLINT NOT NULL DEFAULT 0;
-- As of the Account; '': its policy. They have no effect while the flags track_opens and track_clicks are 0.
ALTER TABLE list ADD COLUMN open_policy TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE list ADD COLUMN click_policy TEXT COLLATE "C" NOT NULL DEFAULT '';

-- What the person has decided last: 0 nothing, 1 agreed, 2 refused.
ALTER TABLE contact ADD COLUMN tracking_consent SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE contact ADD COLUMN tracking_time BIGINT NOT NULL DEFAULT 0;
-- The decision of a row, as of contact. Such a row has no type.
ALTER TABLE consent ADD COLUMN tracking_consent SMALLINT NOT NULL DEFAULT 0;
-- Of the text that the person has read.
ALTER TABLE consent ADD COLUMN text_version TEXT COLLATE "C" NOT NULL DEFAULT '';
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION consent_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' THEN
		IF NEW.text = '' AND NEW.ip = '' AND NEW.preferences = '' AND NEW.import_row = 0
			AND (NEW.list_id, NEW.contact_id, NEW.number, NEW.time, NEW.method, NEW.type, NEW.key_id, NEW.import_id,
				NEW.tracking_consent, NEW.text_version)
				= (OLD.list_id, OLD.contact_id, OLD.number, OLD.time, OLD.method, OLD.type, OLD.key_id, OLD.import_id,
				OLD.tracking_consent, OLD.text_version) THEN
			RETURN NEW;
		END IF;
	END IF;
	RAISE EXCEPTION 'the consent ledger is append-only';
END
$$;
-- +goose StatementEnd
