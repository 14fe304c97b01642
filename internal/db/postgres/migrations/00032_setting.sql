-- Settings of the service and of Accounts.

-- +goose Up

-- A setting that has another value than its default. The table of settings in the program has the names.
CREATE TABLE setting (
	account_id BIGINT NOT NULL, -- 0: the whole service
	name       TEXT COLLATE "C" NOT NULL,
	value      TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (account_id, name)
);
