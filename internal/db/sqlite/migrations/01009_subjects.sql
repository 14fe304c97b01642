-- +goose Up

-- Other subjects of the Message for a test of variants, one a line.
ALTER TABLE message ADD COLUMN other_subjects TEXT NOT NULL DEFAULT '';
