-- Erasing a person.

-- +goose Up

-- An erasure empties the columns of the ledger that say something about the person. Nothing else changes a row.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION consent_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' THEN
		IF NEW.text = '' AND NEW.ip = '' AND NEW.preferences = '' AND NEW.import_row = 0
			AND (NEW.list_id, NEW.contact_id, NEW.number, NEW.time, NEW.method, NEW.type, NEW.key_id, NEW.import_id)
				= (OLD.list_id, OLD.contact_id, OLD.number, OLD.time, OLD.method, OLD.type, OLD.key_id, OLD.import_id) THEN
			RETURN NEW;
		END IF;
	END IF;
	RAISE EXCEPTION 'the consent ledger is append-only';
END
$$;
-- +goose StatementEnd
