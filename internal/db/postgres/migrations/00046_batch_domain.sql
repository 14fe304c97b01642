-- The departures and complaints of a Batch by period, and its mails by group of domains and by reason.

-- +goose Up

-- The departures and complaints of a Batch in a period that has some.
CREATE TABLE batch_departure (
	batch_id     BIGINT NOT NULL,
	time         BIGINT NOT NULL, -- beginning of the period, as of batch_sum
	unsubscribed BIGINT NOT NULL, -- mails by which the recipient unsubscribed
	complained   BIGINT NOT NULL, -- mails that were reported as spam
	PRIMARY KEY (batch_id, time)
);

-- The mails of a Batch to a group of domains. The mails that were refused, bounced or deferred are in rows with their
-- reason, and all others in rows without one.
CREATE TABLE batch_domain (
	batch_id      BIGINT NOT NULL,
	domain        TEXT COLLATE "C" NOT NULL, -- the group: gmail, microsoft, yahoo, apple or other
	reason        TEXT COLLATE "C" NOT NULL, -- '': none
	part          BIGINT NOT NULL, -- -1: changed while the row of the Batch is locked; others as of batch_sum
	sent          BIGINT NOT NULL,
	refused       BIGINT NOT NULL,
	bounced       BIGINT NOT NULL, -- refused, or reported as undeliverable later
	deferred      BIGINT NOT NULL, -- mails whose first attempt failed for a time
	opened        BIGINT NOT NULL,
	human_opened  BIGINT NOT NULL, -- by a person
	clicked       BIGINT NOT NULL,
	human_clicked BIGINT NOT NULL,
	PRIMARY KEY (batch_id, domain, reason, part)
);
