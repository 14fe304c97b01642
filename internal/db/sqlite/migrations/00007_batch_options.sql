-- Options of Batches, and limits of their mails.

-- +goose Up

ALTER TABLE batch ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE batch ADD COLUMN skips_doubtful INTEGER NOT NULL DEFAULT 0; -- 1: a mail whose outcome is unknown is not sent again
ALTER TABLE batch ADD COLUMN doubtful INTEGER NOT NULL DEFAULT 0; -- number of these mails
ALTER TABLE batch ADD COLUMN left_excluded INTEGER NOT NULL DEFAULT 0; -- number of Contacts that batch_exclusion left out

-- Contacts of the populations that a Batch leaves out.
CREATE TABLE batch_exclusion (
	batch_id INTEGER PRIMARY KEY,
	criteria TEXT NOT NULL, -- JSON of the criteria that they match
	batches  TEXT NOT NULL  -- JSON array of the Batches that they were sent
) STRICT;

ALTER TABLE batch ADD COLUMN rate TEXT NOT NULL DEFAULT ''; -- such as 20/second,5000/day

-- Token buckets that limit the mails of Batches. A missing bucket is full.
CREATE TABLE mail_rate (
	name      TEXT PRIMARY KEY, -- what is limited, and the period
	full_time INTEGER NOT NULL -- when the bucket is full, in Unix nanoseconds
) STRICT, WITHOUT ROWID;

-- Rates of the domain groups whose mail servers asked for fewer mails.
CREATE TABLE mail_pace (
	domain_group TEXT PRIMARY KEY,
	mails        INTEGER NOT NULL, -- a minute, at the time
	top          INTEGER NOT NULL, -- mails a minute; a pace that has grown to it has no effect
	time         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- If the table has its one row, no mail is sent.
CREATE TABLE mail_hold (
	id     INTEGER PRIMARY KEY, -- 1
	reason TEXT NOT NULL,
	time   INTEGER NOT NULL -- when the hold began
) STRICT;

-- Numbers of mails of Batches by day, for a warm-up plan.
CREATE TABLE mail_day (
	relay TEXT NOT NULL, -- host and port of the mail server
	day   TEXT NOT NULL, -- such as 2027-01-31
	mails INTEGER NOT NULL,
	PRIMARY KEY (relay, day)
) STRICT, WITHOUT ROWID;

ALTER TABLE account ADD COLUMN sending_domains TEXT NOT NULL DEFAULT ''; -- that the senders of its Batches must have, separated by spaces; empty: any
