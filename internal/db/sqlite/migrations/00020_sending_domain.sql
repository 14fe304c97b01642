-- Sending domains.

-- +goose Up

-- A domain from which one Account sends, with the DKIM keys that sign its mails.
CREATE TABLE sending_domain (
	id               INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id       INTEGER NOT NULL,
	domain           TEXT NOT NULL, -- in ASCII and lower case
	selector         TEXT NOT NULL, -- of the key that signs
	private_key      TEXT NOT NULL, -- PKCS #8 in PEM
	next_selector    TEXT NOT NULL, -- of the key that will sign; empty: there is none
	next_private_key TEXT NOT NULL,
	old_selector     TEXT NOT NULL, -- of the key before the last switch, whose record may still be looked up; empty: none
	switch_time      INTEGER NOT NULL, -- when mails were first signed with the present key after a switch; 0: no switch
	creation_time    INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX sending_domain_name ON sending_domain (domain);
CREATE INDEX sending_domain_account ON sending_domain (account_id);
