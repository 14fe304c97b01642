-- The texts of a Form in further languages.

-- +goose Up

ALTER TABLE form ADD COLUMN translations TEXT NOT NULL DEFAULT ''; -- JSON: the texts by language; '': none
