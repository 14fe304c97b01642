-- Addresses that get no mail of any Batch.

-- +goose Up

ALTER TABLE batch ADD COLUMN left_suppressed BIGINT NOT NULL DEFAULT 0; -- the address is on the Unsubscriber List for all Lists
