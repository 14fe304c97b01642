-- The departures and complaints of a Batch by period, and its mails by group of domains and by reason.

-- +goose Up

-- The departures and complaints of a Batch in a period that has some.
CREATE TABLE batch_departure (
	batch_id     INTEGER NOT NULL,
	time         INTEGER NOT NULL, -- beginning of the period, as of batch_sum
	unsubscribed INTEGER NOT NULL, -- mails by which the recipient unsubscribed
	complained   INTEGER NOT NULL, -- mails that were reported as spam
	PRIMARY KEY (batch_id, time)
) STRICT, WITHOUT ROWID;

-- The mails of a Batch to a group of domains. The mails that were refused, bounced or deferred are in rows with their
-- reason, and all others in rows without one.
CREATE TABLE batch_domain (
	batch_id      INTEGER NOT NULL,
	domain        TEXT NOT NULL, -- the group: gmail, microsoft, yahoo, apple or other
	reason        TEXT NOT NULL, -- '': none
	part          INTEGER NOT NULL, -- -1: changed while the row of the Batch is locked; others as of batch_sum
	sent          INTEGER NOT NULL,
	refused       INTEGER NOT NULL,
	bounced       INTEGER NOT NULL, -- refused, or reported as undeliverable later
	deferred      INTEGER NOT NULL, -- mails whose first attempt failed for a time
	opened        INTEGER NOT NULL,
	human_opened  INTEGER NOT NULL, -- by a person
	clicked       INTEGER NOT NULL,
	human_clicked INTEGER NOT NULL,
	PRIMARY KEY (batch_id, domain, reason, part)
) STRICT, WITHOUT ROWID;
