-- Roles of users, what a user does alone, and approvals by a second user.

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

-- The Batch begins only after a second user has approved it, if more Contacts than this get it; 0: it needs no approval.
ALTER TABLE batch ADD COLUMN approve_above BIGINT NOT NULL DEFAULT 0;

-- Approvals of Batches with approve_above.
CREATE TABLE batch_approval (
	batch_id          BIGINT NOT NULL PRIMARY KEY,
	state             TEXT COLLATE "C" NOT NULL, -- waits, approved or refused; '': the recipients are not counted yet
	person_id         BIGINT NOT NULL, -- who has added the Batch; 0: a key
	person_name       TEXT COLLATE "C" NOT NULL, -- of this person or key
	changed_person_id BIGINT NOT NULL, -- who has continued it or chosen its time since; 0: none
	asked_time        BIGINT NOT NULL,
	version           TEXT COLLATE "C" NOT NULL, -- hashes of the mails and the Segments that were asked for
	send_time         BIGINT NOT NULL, -- of the Batch then; 0: as soon as it is approved
	decided_time      BIGINT NOT NULL, -- 0: not yet
	decided_name      TEXT COLLATE "C" NOT NULL, -- of the person who has decided
	reason            TEXT COLLATE "C" NOT NULL -- why it was refused
);
