-- Erasing a person.

-- +goose Up

-- An erasure empties the columns of the ledger that say something about the person. Nothing else changes a row.
DROP TRIGGER consent_is_never_changed;
-- +goose StatementBegin
CREATE TRIGGER consent_is_never_changed BEFORE UPDATE ON consent
WHEN NOT (NEW.text = '' AND NEW.ip = '' AND NEW.preferences = '' AND NEW.import_row = 0
	AND NEW.list_id = OLD.list_id AND NEW.contact_id = OLD.contact_id AND NEW.number = OLD.number AND NEW.time = OLD.time
	AND NEW.method = OLD.method AND NEW.type = OLD.type AND NEW.key_id = OLD.key_id AND NEW.import_id = OLD.import_id)
BEGIN
	SELECT raise(ABORT, 'the consent ledger is append-only');
END;
-- +goose StatementEnd
