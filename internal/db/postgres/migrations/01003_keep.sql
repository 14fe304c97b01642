-- What keeps users from losing a text or sending one by accident.

-- +goose Up

-- Before this time a Batch does not begin, so that the user who sends it can stop it; 0: at any time.
ALTER TABLE batch ADD COLUMN not_before BIGINT NOT NULL DEFAULT 0;
