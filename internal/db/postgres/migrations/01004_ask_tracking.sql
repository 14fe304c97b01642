-- How people are asked whether their opens and clicks may be recorded.

-- +goose Up

-- What people agree to, on Forms and pages of the List; '': a text of the language.
ALTER TABLE list ADD COLUMN tracking_text TEXT COLLATE "C" NOT NULL DEFAULT '';
-- 1: the Form has a tick for this.
ALTER TABLE form ADD COLUMN asks_tracking SMALLINT NOT NULL DEFAULT 0;
-- Of this tick; '': that of the List.
ALTER TABLE form ADD COLUMN tracking_text TEXT COLLATE "C" NOT NULL DEFAULT '';
