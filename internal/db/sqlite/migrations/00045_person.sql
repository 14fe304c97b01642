-- The people who use the pages of the administration, and their sessions.

-- +goose Up

CREATE TABLE person (
	id            INTEGER PRIMARY KEY AUTOINCREMENT,
	email         TEXT NOT NULL, -- as it was typed
	email_key     TEXT NOT NULL UNIQUE, -- the normalised address
	name          TEXT NOT NULL,
	password      TEXT NOT NULL, -- Argon2id with its parameters and salt; '': signs in by links only
	creation_time INTEGER NOT NULL,
	sign_in_time  INTEGER NOT NULL -- of the last sign-in; 0: never
) STRICT;

-- What a person may do in an Account.
CREATE TABLE membership (
	person_id  INTEGER NOT NULL,
	account_id INTEGER NOT NULL,
	level      INTEGER NOT NULL, -- as of api_key
	lists      TEXT, -- as of api_key
	may_send   INTEGER NOT NULL,
	PRIMARY KEY (person_id, account_id)
) STRICT, WITHOUT ROWID;

-- Links with which a person signs in once.
CREATE TABLE sign_in_link (
	hash        BLOB NOT NULL PRIMARY KEY, -- SHA-256 of the link's text
	person_id   INTEGER NOT NULL, -- 0: makes the first person
	expiry_time INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
	id             INTEGER PRIMARY KEY AUTOINCREMENT,
	hash           BLOB NOT NULL UNIQUE, -- SHA-256 of the cookie's text
	person_id      INTEGER NOT NULL,
	account_id     INTEGER NOT NULL, -- that the pages show
	agent          TEXT NOT NULL, -- User-Agent of the browser that signed in
	ip             TEXT NOT NULL, -- from which it signed in
	creation_time  INTEGER NOT NULL,
	last_used_time INTEGER NOT NULL -- may be a minute earlier than the last use
) STRICT;
CREATE INDEX session_person ON session (person_id);
