-- Tables for the mails and the webhook events that a subscription causes. Times are
-- Unix seconds, 0 if something never happened. Flags are 0 or 1.

-- +goose Up

-- The time of the last mail that asked the Contact to confirm the subscription.
ALTER TABLE contact ADD COLUMN confirmation_time INTEGER NOT NULL DEFAULT 0;

-- 1: the subscription is not confirmed, and autoresponders wait for the confirmation.
ALTER TABLE contact ADD COLUMN subscription_waits INTEGER NOT NULL DEFAULT 0;

-- The time up to which bounces of the Contact are ignored.
ALTER TABLE contact ADD COLUMN bounce_time INTEGER NOT NULL DEFAULT 0;

-- Secret keys that all processes on this database use, by name. No command and no reply
-- shows them.
CREATE TABLE secret (
	name  TEXT PRIMARY KEY,
	value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE message (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id         INTEGER NOT NULL,
	creator_key_id     INTEGER NOT NULL,
	creator_name       TEXT NOT NULL,
	creation_time      INTEGER NOT NULL,
	last_modified_time INTEGER NOT NULL,
	type               TEXT NOT NULL, -- email or sms
	name               TEXT NOT NULL,
	folder_id          INTEGER NOT NULL,
	email_type         TEXT NOT NULL, -- html, plain-html, plain or raw_html
	subject            TEXT NOT NULL,
	html_content       TEXT NOT NULL,
	text_content       TEXT NOT NULL,
	sms_content        TEXT NOT NULL,
	from_name          TEXT NOT NULL,
	from_address       TEXT NOT NULL,
	reply_to           TEXT NOT NULL
) STRICT;
CREATE INDEX message_account ON message (account_id);

CREATE TABLE autoresponder (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id         INTEGER NOT NULL,
	list_id            INTEGER NOT NULL,
	creator_key_id     INTEGER NOT NULL,
	creator_name       TEXT NOT NULL,
	creation_time      INTEGER NOT NULL,
	last_modified_time INTEGER NOT NULL,
	message_id         INTEGER NOT NULL,
	event_type         TEXT NOT NULL,
	folder_id          INTEGER NOT NULL,
	time_zone          TEXT NOT NULL, -- '': the time zone of the Account
	is_active          INTEGER NOT NULL,
	criteria_type      TEXT NOT NULL, -- immediate, delay or specific
	criteria_timestamp INTEGER NOT NULL,
	offset_value       INTEGER NOT NULL,
	offset_period      TEXT NOT NULL, -- minute, hour, day or week
	specific_hour      INTEGER NOT NULL,
	specific_minute    INTEGER NOT NULL
) STRICT;
CREATE INDEX autoresponder_list ON autoresponder (list_id);
CREATE INDEX autoresponder_account ON autoresponder (account_id);

-- The receivers of webhooks. Webhooks with the same URL and secret share one target, so
-- that their events arrive together and in order.
CREATE TABLE webhook_target (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id INTEGER NOT NULL,
	url        TEXT NOT NULL,
	secret     TEXT NOT NULL,
	is_failing INTEGER NOT NULL DEFAULT 0,  -- 1: nothing is sent until a webhook of the target is edited or the operator retries
	-- The columns below are the state of the delivery. They change often and are not part of
	-- the definitions, so they do not increment the catalogue's version.
	failures   INTEGER NOT NULL DEFAULT 0,  -- failed attempts since the last success
	next_time  INTEGER NOT NULL DEFAULT 0,  -- time before which no attempt is made
	call_time  INTEGER NOT NULL DEFAULT 0,  -- time at which the waiting job for this target was enqueued; 0: no job waits
	lease_time INTEGER NOT NULL DEFAULT 0,  -- end of the lease
	holder     INTEGER NOT NULL DEFAULT 0,  -- ID of the job that has the lease or was the last to have it
	batch      TEXT NOT NULL DEFAULT '',    -- ID of the batch of events that is being sent, '' if none is
	batch_upto INTEGER NOT NULL DEFAULT 0,  -- ID of the last event in the batch
	last_error TEXT NOT NULL DEFAULT '',
	UNIQUE (account_id, url, secret)
) STRICT;

CREATE TABLE webhook (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id         INTEGER NOT NULL,
	list_id            INTEGER NOT NULL, -- 0: all Lists of the Account
	object             TEXT NOT NULL,
	event              TEXT NOT NULL,
	target_id          INTEGER NOT NULL,
	creation_time      INTEGER NOT NULL,
	last_modified_time INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_account ON webhook (account_id, list_id);
CREATE INDEX webhook_target_id ON webhook (target_id);

-- Events that have not been sent to their target yet, in the order of their IDs.
CREATE TABLE webhook_event (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	target_id  INTEGER NOT NULL,
	webhook_id INTEGER NOT NULL,
	list_id    INTEGER NOT NULL,
	contact_id INTEGER NOT NULL, -- 0: the event is about the List
	object     TEXT NOT NULL,
	event      TEXT NOT NULL,
	time       INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_event_target ON webhook_event (target_id, id);

-- Mails that were sent to Contacts. Each mail has an event as its cause. cause is 'a'
-- followed by the ID of an autoresponder, or 'c' for the request to confirm a
-- subscription.
CREATE TABLE delivery (
	list_id    INTEGER NOT NULL,
	contact_id INTEGER NOT NULL,
	event_time INTEGER NOT NULL,
	cause      TEXT NOT NULL,
	message_id INTEGER NOT NULL,
	address    TEXT NOT NULL,
	subject    TEXT NOT NULL,
	time       INTEGER NOT NULL,
	status     TEXT NOT NULL, -- sent, bounced, failed or complained
	detail     TEXT NOT NULL, -- reply of the mail server
	PRIMARY KEY (list_id, contact_id, event_time, cause)
) STRICT, WITHOUT ROWID;

-- Targets of the links in Messages. A URL is as in the Message: its merge fields are
-- not replaced by values.
CREATE TABLE link (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	message_id INTEGER NOT NULL,
	url        TEXT NOT NULL,
	UNIQUE (message_id, url)
) STRICT;
