-- The blocks of a Message, and how the mails of an Account look.

-- +goose Up

ALTER TABLE message ADD COLUMN blocks TEXT NOT NULL DEFAULT ''; -- JSON
ALTER TABLE account ADD COLUMN theme TEXT NOT NULL DEFAULT ''; -- JSON; '': the default theme
