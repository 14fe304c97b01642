-- Rates of calls.

-- +goose Up

ALTER TABLE api_key ADD COLUMN rate TEXT NOT NULL DEFAULT 'default'; -- such as 600/minute,burst=50; none: any number; default: the default of the server
