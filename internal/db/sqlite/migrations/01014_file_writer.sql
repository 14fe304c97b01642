-- Who uploaded a file.

-- +goose Up

-- The user; 0: a key, the operator, or a version that did not store it.
ALTER TABLE file ADD COLUMN creator_person_id INTEGER NOT NULL DEFAULT 0;
