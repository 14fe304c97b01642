-- What a subscriber reads on the page with the own settings.

-- +goose Up

ALTER TABLE list ADD COLUMN preferences_text TEXT NOT NULL DEFAULT ''; -- '': none
