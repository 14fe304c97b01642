-- What keeps users from losing a text or sending one by accident.

-- +goose Up

-- Before this time a Batch does not begin, so that the user who sends it can stop it; 0: at any time.
ALTER TABLE batch ADD COLUMN not_before INTEGER NOT NULL DEFAULT 0;

-- Earlier texts of Messages, and drafts that are not in their Message.
CREATE TABLE message_version (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	message_id  INTEGER NOT NULL,
	kind        TEXT NOT NULL, -- saved: a user has ended it; auto: a page has saved it meanwhile; draft: it is not in the Message
	page        TEXT NOT NULL, -- a random text of the page that saves by itself; '': none
	page_number INTEGER NOT NULL, -- of the last of these saves
	person_id   INTEGER NOT NULL, -- who has written it; 0: unknown
	person_name TEXT NOT NULL,
	begun_time  INTEGER NOT NULL, -- of its first save
	time        INTEGER NOT NULL, -- of its last save
	is_sent     INTEGER NOT NULL, -- 1: mails with it have left
	content     TEXT NOT NULL -- JSON: texts by the keys of a Message
) STRICT;
CREATE INDEX message_version_message ON message_version (message_id);
