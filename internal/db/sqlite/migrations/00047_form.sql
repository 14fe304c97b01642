-- Forms: pages and snippets with which people subscribe to a List.

-- +goose Up

CREATE TABLE form (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id         INTEGER NOT NULL,
	list_id            INTEGER NOT NULL,
	name               TEXT NOT NULL, -- unique in the List without letter case: only the program compares it
	field_ids          TEXT NOT NULL, -- of the inputs, in their order, with commas
	required_ids       TEXT NOT NULL, -- those of them that need a value
	title              TEXT NOT NULL, -- '' stands for the text of the language, like the other texts
	introduction       TEXT NOT NULL,
	button             TEXT NOT NULL,
	consent            TEXT NOT NULL, -- what subscribers agree to with a tick; '': no tick
	thanks             TEXT NOT NULL,
	redirect_url       TEXT NOT NULL, -- where the browser goes afterwards; '': a page with the thanks
	language           TEXT NOT NULL, -- as of list
	sites              TEXT NOT NULL, -- whose scripts may send the Form: origins with commas
	is_open            INTEGER NOT NULL,
	creation_time      INTEGER NOT NULL,
	last_modified_time INTEGER NOT NULL
) STRICT;
CREATE INDEX form_list ON form (list_id);

-- What people did with a Form on a day.
CREATE TABLE form_day (
	form_id   INTEGER NOT NULL,
	day       INTEGER NOT NULL, -- the date in the time zone that the Account had then: 20260131
	shown     INTEGER NOT NULL,
	sent      INTEGER NOT NULL,
	confirmed INTEGER NOT NULL, -- by the link in the request to confirm, or by a call
	PRIMARY KEY (form_id, day)
) STRICT, WITHOUT ROWID;
