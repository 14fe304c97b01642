-- When a Message had a link.

-- +goose Up

-- last_modified_time of the first and of the last edition of the Message that has the link; 0: not known.
ALTER TABLE link ADD COLUMN since_time BIGINT NOT NULL DEFAULT 0;
ALTER TABLE link ADD COLUMN until_time BIGINT NOT NULL DEFAULT 0;
