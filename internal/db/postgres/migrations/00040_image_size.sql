-- The sizes of images, and who stored the content of a file last.

-- +goose Up

-- In pixels; 0: no image whose size is known; -1: not read yet, which a server does in its periodic work.
ALTER TABLE file ADD COLUMN image_width BIGINT NOT NULL DEFAULT -1;
ALTER TABLE file ADD COLUMN image_height BIGINT NOT NULL DEFAULT -1;

-- The key that stored the content; -1: not known, because an earlier version stored it.
ALTER TABLE file ADD COLUMN modifier_key_id BIGINT NOT NULL DEFAULT -1;
