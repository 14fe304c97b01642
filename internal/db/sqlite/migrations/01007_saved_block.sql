-- Blocks of Messages that users have saved under a name.

-- +goose Up

CREATE TABLE saved_block (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id         INTEGER NOT NULL,
	name               TEXT NOT NULL, -- unique in the Account without letter case: only the program compares it
	blocks             TEXT NOT NULL, -- JSON, as in message
	creator_person_id  INTEGER NOT NULL,
	creation_time      INTEGER NOT NULL,
	last_modified_time INTEGER NOT NULL
) STRICT;

CREATE INDEX saved_block_account ON saved_block (account_id);
