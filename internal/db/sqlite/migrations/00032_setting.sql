-- Settings of the service and of Accounts.

-- +goose Up

-- A setting that has another value than its default. The table of settings in the program has the names.
CREATE TABLE setting (
	account_id INTEGER NOT NULL, -- 0: the whole service
	name       TEXT NOT NULL,
	value      TEXT NOT NULL,
	PRIMARY KEY (account_id, name)
) STRICT, WITHOUT ROWID;
