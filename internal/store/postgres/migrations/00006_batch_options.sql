-- Options of Batches.

-- +goose Up

ALTER TABLE batch ADD COLUMN name TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE batch ADD COLUMN skips_doubtful SMALLINT NOT NULL DEFAULT 0; -- 1: a mail whose outcome is unknown is not sent again
ALTER TABLE batch ADD COLUMN doubtful BIGINT NOT NULL DEFAULT 0; -- number of these mails
ALTER TABLE batch ADD COLUMN left_excluded BIGINT NOT NULL DEFAULT 0; -- number of Contacts that batch_exclusion left out

-- Contacts of the populations that a Batch leaves out.
CREATE TABLE batch_exclusion (
	batch_id BIGINT PRIMARY KEY,
	criteria TEXT COLLATE "C" NOT NULL, -- JSON of the criteria that they match
	batches  TEXT COLLATE "C" NOT NULL  -- JSON array of the Batches that they were sent
);
