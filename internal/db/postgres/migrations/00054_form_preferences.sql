-- Preferences that a Form asks for.

-- +goose Up

ALTER TABLE form ADD COLUMN preference_ids TEXT COLLATE "C" NOT NULL DEFAULT ''; -- in their order, with commas
