-- Files of an Account, and which files a Message has.

-- +goose Up

CREATE TABLE file (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id         INTEGER NOT NULL,
	creator_key_id     INTEGER NOT NULL,
	creator_name       TEXT NOT NULL,
	creation_time      INTEGER NOT NULL,
	last_modified_time INTEGER NOT NULL,
	folder_id          INTEGER NOT NULL,
	name               TEXT NOT NULL,
	type               TEXT NOT NULL, -- media type
	size               INTEGER NOT NULL, -- in bytes
	content_id         INTEGER NOT NULL,
	UNIQUE (folder_id, name)
) STRICT;
CREATE INDEX file_account ON file (account_id);
CREATE INDEX file_by_content ON file (content_id);

-- The content of a file. A file that is overwritten gets other content.
CREATE TABLE file_content (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id INTEGER NOT NULL,
	size       INTEGER NOT NULL -- in bytes; 0: no file has the content any more, and a job removes it
) STRICT;
CREATE INDEX file_content_account ON file_content (account_id);

-- The bytes of a content, in pieces of at most 256 KiB with the numbers 0, 1, 2 and so on.
CREATE TABLE file_piece (
	content_id INTEGER NOT NULL,
	number     INTEGER NOT NULL,
	data       BLOB NOT NULL,
	PRIMARY KEY (content_id, number)
) STRICT;

-- IDs of files, separated by commas.
ALTER TABLE message ADD COLUMN attachments TEXT NOT NULL DEFAULT '';
ALTER TABLE message ADD COLUMN inline_images TEXT NOT NULL DEFAULT '';
