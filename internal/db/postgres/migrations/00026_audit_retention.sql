-- How long an Account keeps the rows of the audit log.

-- +goose Up

-- A number of days; 0: for ever.
ALTER TABLE account ADD COLUMN retain_audit BIGINT NOT NULL DEFAULT 0;

-- A row can be deleted when it is older than 365 days.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' THEN
		IF NEW.before_values = '' AND NEW.after_values = ''
			AND (NEW.id, NEW.account_id, NEW.time, NEW.method, NEW.key_id, NEW.key_name, NEW.user_name, NEW.ip_address,
					NEW.object, NEW.object_id, NEW.list_id)
				= (OLD.id, OLD.account_id, OLD.time, OLD.method, OLD.key_id, OLD.key_name, OLD.user_name, OLD.ip_address,
					OLD.object, OLD.object_id, OLD.list_id) THEN
			RETURN NEW;
		END IF;
	ELSIF TG_OP = 'DELETE' THEN
		IF OLD.time <= extract(epoch FROM now()) - 31536000 THEN
			RETURN OLD;
		END IF;
	END IF;
	RAISE EXCEPTION 'the audit log is append-only';
END
$$;
-- +goose StatementEnd
