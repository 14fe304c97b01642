-- Who wrote a Message. A person who may use only some Lists sees the own ones.

-- +goose Up

ALTER TABLE message ADD COLUMN creator_person_id INTEGER NOT NULL DEFAULT 0; -- 0: a key, the operator, or unknown
