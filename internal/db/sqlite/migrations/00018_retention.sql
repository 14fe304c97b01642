-- How long an Account keeps opens, clicks and the texts of its records of mails.

-- +goose Up

-- Numbers of days; 0: for ever.
ALTER TABLE account ADD COLUMN retain_events INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN retain_deliveries INTEGER NOT NULL DEFAULT 0;
-- When old data was last looked for.
ALTER TABLE account ADD COLUMN retention_time INTEGER NOT NULL DEFAULT 0;

-- When the opens and clicks of an ended Batch were removed; negative: the removal began then and has not ended; 0: they are kept.
ALTER TABLE batch ADD COLUMN events_removed INTEGER NOT NULL DEFAULT 0;
-- When the addresses and texts of its recipients were removed; 0: not yet.
ALTER TABLE batch ADD COLUMN texts_removed INTEGER NOT NULL DEFAULT 0;
