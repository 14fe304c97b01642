-- Public Lists, and why people unsubscribe.

-- +goose Up

ALTER TABLE list ADD COLUMN is_public INTEGER NOT NULL DEFAULT 0; -- subscribers of other Lists may see it and join it
ALTER TABLE list ADD COLUMN description TEXT NOT NULL DEFAULT ''; -- for subscribers

-- Why a Contact unsubscribed, if the person said it on the page.
CREATE TABLE departure (
	list_id    INTEGER NOT NULL,
	contact_id INTEGER NOT NULL,
	time       INTEGER NOT NULL,
	reason     TEXT NOT NULL, -- too_many, not_interesting, never_subscribed or other
	words      TEXT NOT NULL, -- of the person; '': none
	PRIMARY KEY (list_id, contact_id)
) STRICT, WITHOUT ROWID;
