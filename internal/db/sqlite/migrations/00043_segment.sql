-- Segments: named criteria of Lists.

-- +goose Up

CREATE TABLE segment (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id         INTEGER NOT NULL,
	list_id            INTEGER NOT NULL,
	name               TEXT NOT NULL, -- unique in the List without letter case: only the program compares it
	criteria           TEXT NOT NULL, -- JSON, as in batch_population
	creation_time      INTEGER NOT NULL,
	last_modified_time INTEGER NOT NULL
) STRICT;
CREATE INDEX segment_list ON segment (list_id);

-- Whom the autoresponder sends to: the Contacts of this Segment; 0: all.
ALTER TABLE autoresponder ADD COLUMN segment_id INTEGER NOT NULL DEFAULT 0;
