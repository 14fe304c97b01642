-- Options of Batches.

-- +goose Up

ALTER TABLE batch ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE batch ADD COLUMN skips_doubtful INTEGER NOT NULL DEFAULT 0; -- 1: a mail whose outcome is unknown is not sent again
ALTER TABLE batch ADD COLUMN doubtful INTEGER NOT NULL DEFAULT 0; -- number of these mails
ALTER TABLE batch ADD COLUMN left_excluded INTEGER NOT NULL DEFAULT 0; -- number of Contacts that batch_exclusion left out

-- Contacts of the populations that a Batch leaves out.
CREATE TABLE batch_exclusion (
	batch_id INTEGER PRIMARY KEY,
	criteria TEXT NOT NULL, -- JSON of the criteria that they match
	batches  TEXT NOT NULL  -- JSON array of the Batches that they were sent
) STRICT;
