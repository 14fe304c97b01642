-- Changes of many Contacts, which a job makes in steps.

-- +goose Up

CREATE TABLE contact_change (
	id            INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id    INTEGER NOT NULL,
	list_id       INTEGER NOT NULL,
	action        TEXT NOT NULL, -- deactivate, reactivate, unsubscribe, delete or set
	field_id      INTEGER NOT NULL, -- whose value is set; 0: another action
	value         TEXT NOT NULL, -- that is set
	total         INTEGER NOT NULL, -- Contacts that matched
	done          INTEGER NOT NULL, -- of them, those that the job has looked at
	changed       INTEGER NOT NULL, -- of those, how many were changed
	reason        TEXT NOT NULL, -- why the change was given up
	creation_time INTEGER NOT NULL,
	end_time      INTEGER NOT NULL -- 0: it runs
) STRICT;
CREATE INDEX contact_change_list ON contact_change (list_id);

-- The Contacts that are still to be changed.
CREATE TABLE contact_change_part (
	change_id  INTEGER NOT NULL,
	first      INTEGER NOT NULL, -- position of the first one among all Contacts of the change
	contacts   TEXT NOT NULL, -- IDs in ascending order, as JSON
	PRIMARY KEY (change_id, first)
) STRICT, WITHOUT ROWID;
