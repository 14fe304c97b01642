-- The texts of a Form in further languages.

-- +goose Up

ALTER TABLE form ADD COLUMN translations TEXT COLLATE "C" NOT NULL DEFAULT ''; -- JSON: the texts by language; '': none
