-- Options of Batches, and limits of their mails.

-- +goose Up

ALTER TABLE batch ADD COLUMN name TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE batch ADD COLUMN skips_doubtful SMALLINT NOT NULL DEFAULT 0; -- 1: a mail whose outcome is unknown is not sent again
ALTER TABLE batch ADD COLUMN doubtful BIGINT NOT NULL DEFAULT 0; -- number of these mails
ALTER TABLE batch ADD COLUMN left_excluded BIGINT NOT NULL DEFAULT 0; -- number of Contacts that batch_exclusion left out

-- Contacts of the populations that a Batch leaves out.
CREATE TABLE batch_exclusion (
	batch_id BIGINT PRIMARY KEY,
	criteria TEXT COLLATE "C" NOT NULL, -- JSON of the criteria that they match
	batches  TEXT COLLATE "C" NOT NULL  -- JSON array of the Batches that they were sent
);

ALTER TABLE batch ADD COLUMN rate TEXT COLLATE "C" NOT NULL DEFAULT ''; -- such as 20/second,5000/day

-- Token buckets that limit the mails of Batches. A missing bucket is full.
CREATE TABLE mail_rate (
	name      TEXT COLLATE "C" PRIMARY KEY, -- what is limited, and the period
	full_time BIGINT NOT NULL -- when the bucket is full, in Unix nanoseconds
);

-- Rates of the domain groups whose mail servers asked for fewer mails.
CREATE TABLE mail_pace (
	domain_group TEXT COLLATE "C" PRIMARY KEY,
	mails        BIGINT NOT NULL, -- a minute, at the time
	top          BIGINT NOT NULL, -- mails a minute; a pace that has grown to it has no effect
	time         BIGINT NOT NULL
);

-- If the table has its one row, no mail is sent.
CREATE TABLE mail_hold (
	id     BIGINT PRIMARY KEY, -- 1
	reason TEXT COLLATE "C" NOT NULL,
	time   BIGINT NOT NULL -- when the hold began
);

-- Numbers of mails of Batches by day, for a warm-up plan.
CREATE TABLE mail_day (
	relay TEXT COLLATE "C" NOT NULL, -- host and port of the mail server
	day   TEXT COLLATE "C" NOT NULL, -- such as 2027-01-31
	mails BIGINT NOT NULL,
	PRIMARY KEY (relay, day)
);

ALTER TABLE account ADD COLUMN sending_domains TEXT COLLATE "C" NOT NULL DEFAULT ''; -- that the senders of its Batches must have, separated by spaces; empty: any
