-- Mailboxes to which a mail went that anyone can ask for, such as a request to confirm.

-- +goose Up

CREATE TABLE asked_mailbox (
	hash BYTEA NOT NULL PRIMARY KEY, -- SHA-256 of the kind of mail, the List and the mailbox
	time BIGINT NOT NULL -- of the mail; the row is useless after ten minutes
);
