-- How long the oldest mail of an Account waited, for the page Sending health. decisions.md: 137

-- +goose Up

CREATE TABLE queue_age (
	account_id INTEGER NOT NULL,
	time       INTEGER NOT NULL, -- start of five minutes in which a mail waited for a minute or longer
	age        INTEGER NOT NULL, -- the largest one in these five minutes, in seconds
	PRIMARY KEY (account_id, time)
) STRICT, WITHOUT ROWID;
CREATE INDEX queue_age_time ON queue_age (time);
