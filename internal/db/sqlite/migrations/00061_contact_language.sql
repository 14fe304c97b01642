-- The language in which a person subscribed, for the mails and pages that follow.

-- +goose Up

ALTER TABLE contact ADD COLUMN language TEXT NOT NULL DEFAULT ''; -- ISO 639-1; '': not known
