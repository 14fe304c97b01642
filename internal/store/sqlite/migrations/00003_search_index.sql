-- Indexes that searches were found to need: one for a key of a List.

-- +goose Up

-- state is waiting, building, ready, failed or dropping. Only those that are ready
-- are relied on; the database's own are called search_<id>.
CREATE TABLE search_index (
	id             INTEGER PRIMARY KEY AUTOINCREMENT,
	list_id        INTEGER NOT NULL,
	key_name       TEXT NOT NULL, -- field_12, or the name of a system key
	state          TEXT NOT NULL,
	by_hand        INTEGER NOT NULL,
	creation_time  INTEGER NOT NULL,
	state_time     INTEGER NOT NULL, -- since when it is in its state, or was last tried
	built_time     INTEGER NOT NULL DEFAULT 0,
	build_ms       INTEGER NOT NULL DEFAULT 0,
	bytes          INTEGER NOT NULL DEFAULT 0, -- of the index, then
	scan_ms        INTEGER NOT NULL, -- what a search takes without it
	last_used_time INTEGER NOT NULL DEFAULT 0,
	error          TEXT NOT NULL DEFAULT '' -- why it failed
) STRICT;
CREATE UNIQUE INDEX search_index_key ON search_index (list_id, key_name);

-- What each was good for on a day, counted from 1970.
CREATE TABLE search_index_use (
	index_id INTEGER NOT NULL,
	day      INTEGER NOT NULL,
	uses     INTEGER NOT NULL,
	saved_ms INTEGER NOT NULL,
	PRIMARY KEY (index_id, day)
) STRICT, WITHOUT ROWID;
