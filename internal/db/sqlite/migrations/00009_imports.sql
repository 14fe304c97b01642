-- Imports of Contacts from files.

-- +goose Up

CREATE TABLE import (
	id             INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id     INTEGER NOT NULL,
	list_id        INTEGER NOT NULL,
	creator_key_id INTEGER NOT NULL,
	creator_name   TEXT NOT NULL,
	creation_time  INTEGER NOT NULL,
	options        TEXT NOT NULL, -- JSON
	content_id     INTEGER NOT NULL, -- the file; 0: it was removed
	size           INTEGER NOT NULL, -- of the file, in bytes
	sha256         TEXT NOT NULL, -- of the file, in hex; empty while it is uploaded
	columns        TEXT NOT NULL, -- JSON: the columns of the file and what each of them is stored as
	state          TEXT NOT NULL,
	reason         TEXT NOT NULL, -- why the import failed or was paused
	owner          TEXT NOT NULL, -- the process that runs the import
	lease_until    INTEGER NOT NULL, -- until when no other process may run it
	start_time     INTEGER NOT NULL,
	end_time       INTEGER NOT NULL,
	done_rows      INTEGER NOT NULL, -- number of rows of the file that are stored
	done_bytes     INTEGER NOT NULL, -- number of bytes of the file that were read for them
	added          INTEGER NOT NULL,
	updated        INTEGER NOT NULL,
	unchanged      INTEGER NOT NULL,
	skipped        INTEGER NOT NULL,
	refused        INTEGER NOT NULL,
	published      TEXT NOT NULL -- JSON: the events for webhooks so far
) STRICT;
CREATE INDEX import_account ON import (account_id);
CREATE INDEX import_content ON import (content_id);

-- The results of an import's rows. A row of this table has the results of one step.
CREATE TABLE import_result (
	import_id INTEGER NOT NULL,
	number    INTEGER NOT NULL, -- number of rows in earlier steps
	data      BLOB NOT NULL, -- JSON, compressed
	PRIMARY KEY (import_id, number)
) STRICT;

-- The import that a row of the ledger comes from, and the number of the row in its file.
ALTER TABLE consent ADD COLUMN import_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE consent ADD COLUMN import_row INTEGER NOT NULL DEFAULT 0;
