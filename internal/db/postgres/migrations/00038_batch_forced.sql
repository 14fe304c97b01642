-- Batches that are sent although a check finds an error.

-- +goose Up

ALTER TABLE batch ADD COLUMN is_forced SMALLINT NOT NULL DEFAULT 0; -- 1: the caller wants to send it although its Message has no content
