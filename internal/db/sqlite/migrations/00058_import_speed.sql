-- How many rows an Import did over time, for the chart of its page.

-- +goose Up

ALTER TABLE import ADD COLUMN speed TEXT NOT NULL DEFAULT '{}'; -- JSON: rows done in each period since the start
