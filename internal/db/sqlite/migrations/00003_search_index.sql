-- Search indexes. Each search index is for one key of one List. The service adds an
-- index when searches need it.

-- +goose Up

-- state is waiting, building, ready, failed or dropping. Searches use only indexes that
-- are ready. The index in the database is called search_<id>.
CREATE TABLE search_index (
	id             INTEGER PRIMARY KEY AUTOINCREMENT,
	list_id        INTEGER NOT NULL,
	key_name       TEXT NOT NULL, -- field_12, or the name of a system key
	state          TEXT NOT NULL,
	by_hand        INTEGER NOT NULL,
	creation_time  INTEGER NOT NULL,
	state_time     INTEGER NOT NULL, -- time of the last change of state, or of the last attempt to build
	built_time     INTEGER NOT NULL DEFAULT 0,
	build_ms       INTEGER NOT NULL DEFAULT 0,
	bytes          INTEGER NOT NULL DEFAULT 0, -- size of the index when it was built
	scan_ms        INTEGER NOT NULL, -- time of a search without the index
	last_used_time INTEGER NOT NULL DEFAULT 0,
	error          TEXT NOT NULL DEFAULT '' -- why the last build failed
) STRICT;
CREATE UNIQUE INDEX search_index_key ON search_index (list_id, key_name);

-- How often each index was used on a day, and how much time it saved. day is the number of
-- days since 1970.
CREATE TABLE search_index_use (
	index_id INTEGER NOT NULL,
	day      INTEGER NOT NULL,
	uses     INTEGER NOT NULL,
	saved_ms INTEGER NOT NULL,
	PRIMARY KEY (index_id, day)
) STRICT, WITHOUT ROWID;
