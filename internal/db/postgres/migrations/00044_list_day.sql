-- What each day added to a List and took from it.

-- +goose Up

-- The changes of a List's Contacts on a day. Each change counts in one column.
CREATE TABLE list_day (
	list_id      BIGINT NOT NULL,
	day          BIGINT NOT NULL, -- the date in the time zone that the Account had then: 20260131
	contacts     BIGINT NOT NULL, -- Contacts that were stored on this day minus those that were removed
	added        BIGINT NOT NULL,
	confirmed    BIGINT NOT NULL,
	unsubscribed BIGINT NOT NULL,
	bounced      BIGINT NOT NULL,
	complained   BIGINT NOT NULL,
	removed      BIGINT NOT NULL,
	PRIMARY KEY (list_id, day)
);

-- Changes that are not yet added to list_day. On PostgreSQL each transaction inserts rows, because updates of a day
-- would make transactions wait for one another.
CREATE TABLE list_day_part (
	list_id      BIGINT NOT NULL,
	day          BIGINT NOT NULL, -- the date in the time zone that the Account had then: 20260131
	part         BIGINT NOT NULL, -- a random number
	contacts     BIGINT NOT NULL, -- Contacts that were stored on this day minus those that were removed
	added        BIGINT NOT NULL,
	confirmed    BIGINT NOT NULL,
	unsubscribed BIGINT NOT NULL,
	bounced      BIGINT NOT NULL,
	complained   BIGINT NOT NULL,
	removed      BIGINT NOT NULL,
	PRIMARY KEY (list_id, day, part)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- The Lists whose days before this migration must still be filled from the consent ledger, and how far that is.
CREATE TABLE list_day_fill (
	list_id      BIGINT PRIMARY KEY,
	before_time  BIGINT NOT NULL, -- rows of the ledger from this time on are counted already
	contact_id   BIGINT NOT NULL, -- the last row that is done
	number       BIGINT NOT NULL,
	is_receiving SMALLINT NOT NULL -- 1: after this row, the Contact could get mail
);
INSERT INTO list_day_fill (list_id, before_time, contact_id, number, is_receiving)
	SELECT id, CAST(extract(epoch FROM now()) AS BIGINT), 0, 0, 0 FROM list WHERE hidden = 0;
