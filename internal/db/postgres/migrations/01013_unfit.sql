-- +goose Up

-- Of a copy of Contacts to another List: those with a value that this List does not accept. A move leaves them out.
ALTER TABLE contact_change ADD COLUMN unfit BIGINT NOT NULL DEFAULT 0;
