-- Keys whose calls may have no key that means nothing.

-- +goose Up

ALTER TABLE api_key ADD COLUMN is_strict SMALLINT NOT NULL DEFAULT 0; -- 1: a call with a key that means nothing to it is refused
