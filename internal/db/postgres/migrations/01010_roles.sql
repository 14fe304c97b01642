-- Roles of users.

-- +goose Up

-- reader, writer, sender, manager, owner, or one of the roles that cannot be given (enlist/role.go); '': level and
-- may_send say what the user may do. It counts only with the level and may_send with which it was stored (users/role.go).
ALTER TABLE membership ADD COLUMN role TEXT COLLATE "C" NOT NULL DEFAULT '';

-- Links that were mailed to a person who has forgotten the password, or who changes the address. They sign nobody in by
-- themselves, so they are not in sign_in_link.
CREATE TABLE person_link (
	hash        BYTEA NOT NULL PRIMARY KEY, -- SHA-256 of the link's text
	person_id   BIGINT NOT NULL,
	purpose     TEXT COLLATE "C" NOT NULL, -- password or address
	email       TEXT COLLATE "C" NOT NULL, -- the new address; '': the link is for a password
	expiry_time BIGINT NOT NULL
);
