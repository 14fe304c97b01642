-- How long an Account keeps the rows of the audit log.

-- +goose Up

-- A number of days; 0: for ever.
ALTER TABLE account ADD COLUMN retain_audit INTEGER NOT NULL DEFAULT 0;

-- A row can be deleted when it is older than 365 days.
DROP TRIGGER audit_is_never_removed;
-- +goose StatementBegin
CREATE TRIGGER audit_is_never_removed BEFORE DELETE ON audit
WHEN OLD.time > unixepoch() - 31536000
BEGIN
	SELECT raise(ABORT, 'the audit log is append-only');
END;
-- +goose StatementEnd
