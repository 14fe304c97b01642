-- Images in the sizes that mails show, and templates of Messages.

-- +goose Up

-- An image as mails show it: smaller, cut, turned as the camera says, and without what else its file says. It is made when a
-- mail program asks for it first.
CREATE TABLE image_copy (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	file_id    INTEGER NOT NULL,
	shown_as   TEXT NOT NULL, -- the width in pixels, and the part: 1200 or 1200-16:9
	source_id  INTEGER NOT NULL, -- the content of the file from which it was made
	content_id INTEGER NOT NULL, -- its own content, or source_id: mails show the file as it is
	type       TEXT NOT NULL, -- media type
	size       INTEGER NOT NULL, -- in bytes
	UNIQUE (file_id, shown_as)
) STRICT;

CREATE INDEX image_copy_content ON image_copy (content_id);

-- 1: Messages begin with it.
ALTER TABLE message ADD COLUMN is_template INTEGER NOT NULL DEFAULT 0;
