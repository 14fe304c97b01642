-- What each day added to a List and took from it.

-- +goose Up

-- The changes of a List's Contacts on a day. Each change counts in one column.
CREATE TABLE list_day (
	list_id      INTEGER NOT NULL,
	day          INTEGER NOT NULL, -- the date in the time zone that the Account had then: 20260131
	contacts     INTEGER NOT NULL, -- Contacts that were stored on this day minus those that were removed
	added        INTEGER NOT NULL,
	confirmed    INTEGER NOT NULL,
	unsubscribed INTEGER NOT NULL,
	bounced      INTEGER NOT NULL,
	complained   INTEGER NOT NULL,
	removed      INTEGER NOT NULL,
	PRIMARY KEY (list_id, day)
) STRICT, WITHOUT ROWID;

-- Changes that are not yet added to list_day. Only a backup of a PostgreSQL database has rows here.
CREATE TABLE list_day_part (
	list_id      INTEGER NOT NULL,
	day          INTEGER NOT NULL, -- the date in the time zone that the Account had then: 20260131
	part         INTEGER NOT NULL, -- a random number
	contacts     INTEGER NOT NULL, -- Contacts that were stored on this day minus those that were removed
	added        INTEGER NOT NULL,
	confirmed    INTEGER NOT NULL,
	unsubscribed INTEGER NOT NULL,
	bounced      INTEGER NOT NULL,
	complained   INTEGER NOT NULL,
	removed      INTEGER NOT NULL,
	PRIMARY KEY (list_id, day, part)
) STRICT, WITHOUT ROWID;

-- The Lists whose days before this migration must still be filled from the consent ledger, and how far that is.
CREATE TABLE list_day_fill (
	list_id      INTEGER PRIMARY KEY,
	before_time  INTEGER NOT NULL, -- rows of the ledger from this time on are counted already
	contact_id   INTEGER NOT NULL, -- the last row that is done
	number       INTEGER NOT NULL,
	is_receiving INTEGER NOT NULL -- 1: after this row, the Contact could get mail
) STRICT;
INSERT INTO list_day_fill (list_id, before_time, contact_id, number, is_receiving)
	SELECT id, unixepoch(), 0, 0, 0 FROM list WHERE hidden = 0;
