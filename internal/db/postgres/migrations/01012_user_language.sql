-- +goose Up

-- The language in which the user reads the pages and gets mails, ISO 639-1; '': that of the browser.
ALTER TABLE person ADD COLUMN language TEXT COLLATE "C" NOT NULL DEFAULT '';
