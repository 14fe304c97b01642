-- Copies of Contacts to another List.

-- +goose Up

-- The List to which the Contacts are copied or moved; 0: another action.
ALTER TABLE contact_change ADD COLUMN target_list_id BIGINT NOT NULL DEFAULT 0;
-- Of the changed Contacts, those whose address this List had already.
ALTER TABLE contact_change ADD COLUMN existed BIGINT NOT NULL DEFAULT 0;
-- Contacts that may not be copied.
ALTER TABLE contact_change ADD COLUMN refused BIGINT NOT NULL DEFAULT 0;
