-- The language and the texts of a List's pages and of its requests to confirm.

-- +goose Up

ALTER TABLE list ADD COLUMN language TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE list ADD COLUMN confirm_subject TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE list ADD COLUMN confirm_text TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE list ADD COLUMN consent_text TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE list ADD COLUMN imprint TEXT COLLATE "C" NOT NULL DEFAULT '';
