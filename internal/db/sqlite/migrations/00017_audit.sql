-- The audit log.

-- +goose Up

-- One row for each administrative act. Rows are added, and never changed or deleted. An erasure empties the columns that
-- can contain an address. Nothing else changes a row.
CREATE TABLE audit (
	id            INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id    INTEGER NOT NULL, -- 0: the complete database
	time          INTEGER NOT NULL,
	method        TEXT NOT NULL,
	key_id        INTEGER NOT NULL, -- 0: the command line
	key_name      TEXT NOT NULL,
	user_name     TEXT NOT NULL, -- of the command line
	ip_address    TEXT NOT NULL, -- of a call
	object        TEXT NOT NULL,
	object_id     INTEGER NOT NULL,
	list_id       INTEGER NOT NULL,
	before_values TEXT NOT NULL, -- JSON object; '': erased
	after_values  TEXT NOT NULL
) STRICT;
CREATE INDEX audit_account ON audit (account_id, time);
-- +goose StatementBegin
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
WHEN NOT (NEW.before_values = '' AND NEW.after_values = '' AND NEW.id = OLD.id AND NEW.account_id = OLD.account_id
	AND NEW.time = OLD.time AND NEW.method = OLD.method AND NEW.key_id = OLD.key_id AND NEW.key_name = OLD.key_name
	AND NEW.user_name = OLD.user_name AND NEW.ip_address = OLD.ip_address AND NEW.object = OLD.object
	AND NEW.object_id = OLD.object_id AND NEW.list_id = OLD.list_id)
BEGIN
	SELECT raise(ABORT, 'the audit log is append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_is_never_removed BEFORE DELETE ON audit
BEGIN
	SELECT raise(ABORT, 'the audit log is append-only');
END;
-- +goose StatementEnd
