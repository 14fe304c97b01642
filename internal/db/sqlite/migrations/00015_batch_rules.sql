-- Addresses that get no mail of any Batch, and the rule that complaints pause a Batch.

-- +goose Up

ALTER TABLE batch ADD COLUMN left_suppressed INTEGER NOT NULL DEFAULT 0; -- the address is on the Unsubscriber List for all Lists
ALTER TABLE batch ADD COLUMN recent_complaints INTEGER NOT NULL DEFAULT 0; -- complaints while about the last 1,000 mails were sent
