-- +goose Up

-- Mails that were not sent, or came back, for a reason that is not the address.
ALTER TABLE batch_domain ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;

-- The UTM parameters of links in mails; '': those of the Account.
ALTER TABLE message ADD COLUMN utm TEXT NOT NULL DEFAULT '';
