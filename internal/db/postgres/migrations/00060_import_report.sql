-- What an Import says about its file: columns that are not stored, states of people, and values that were left out.

-- +goose Up

ALTER TABLE import ADD COLUMN report TEXT COLLATE "C" NOT NULL DEFAULT '{}'; -- JSON: its samples are removed with the results
