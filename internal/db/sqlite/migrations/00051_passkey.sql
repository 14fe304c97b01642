-- Passkeys of the people who use the pages.

-- +goose Up

CREATE TABLE passkey (
	id             INTEGER PRIMARY KEY AUTOINCREMENT,
	person_id      INTEGER NOT NULL,
	hash           BLOB NOT NULL UNIQUE, -- SHA-256 of the credential's ID
	name           TEXT NOT NULL, -- that the person chose
	credential     TEXT NOT NULL, -- the credential record of WebAuthn as JSON, with the public key
	creation_time  INTEGER NOT NULL,
	last_used_time INTEGER NOT NULL -- of the last sign-in with it; 0: never
) STRICT;
CREATE INDEX passkey_person ON passkey (person_id);

-- Challenges with which a person has signed in. None of them works a second time.
CREATE TABLE passkey_challenge (
	hash        BLOB NOT NULL PRIMARY KEY, -- SHA-256 of the challenge
	expiry_time INTEGER NOT NULL -- of the challenge; the row is useless afterwards
) STRICT, WITHOUT ROWID;
