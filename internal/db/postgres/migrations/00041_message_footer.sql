-- What the end of a Message's mails says about the sender and its links.

-- +goose Up

ALTER TABLE message ADD COLUMN show_unsubscribe_link SMALLINT NOT NULL DEFAULT 1; -- 1: true
ALTER TABLE message ADD COLUMN show_update_profile_link SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN update_profile_list_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN update_profile_webform_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN unsubscribe_list_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN unsubscribe_webform_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN authorised_sender TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE message ADD COLUMN postal_address TEXT COLLATE "C" NOT NULL DEFAULT '';
