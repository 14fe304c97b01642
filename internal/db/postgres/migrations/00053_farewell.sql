-- What a subscriber who has left a List reads.

-- +goose Up

ALTER TABLE list ADD COLUMN farewell_text TEXT NOT NULL DEFAULT ''; -- '': a text of the language
