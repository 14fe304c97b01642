-- What a subscription sets in motion. Times are Unix seconds, 0 where something
-- never happened; flags are 0 or 1.

-- +goose Up

-- When a Contact was last asked to confirm the subscription.
ALTER TABLE contact ADD COLUMN confirmation_time INTEGER NOT NULL DEFAULT 0;

-- Whether it subscribed when that was to be confirmed: autoresponders wait for it.
ALTER TABLE contact ADD COLUMN subscription_waits INTEGER NOT NULL DEFAULT 0;

-- When bounces last deactivated a Contact: what was sent until then counts no more.
ALTER TABLE contact ADD COLUMN bounce_time INTEGER NOT NULL DEFAULT 0;

-- Keys that the processes on this database share, by name. Never shown.
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
	time_zone          TEXT NOT NULL, -- '': the Account's
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

-- Where webhooks post to: those that agree in URL and secret share one, so that
-- what they hear of arrives together and in order.
CREATE TABLE webhook_target (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id INTEGER NOT NULL,
	url        TEXT NOT NULL,
	secret     TEXT NOT NULL,
	is_failing INTEGER NOT NULL DEFAULT 0,  -- given up on until a webhook of it is edited or it is called again
	-- How far the delivery is: this changes often, and is no part of the definitions.
	failures   INTEGER NOT NULL DEFAULT 0,  -- in a row
	next_time  INTEGER NOT NULL DEFAULT 0,  -- not before this
	call_time  INTEGER NOT NULL DEFAULT 0,  -- when a job was stored that waits to look at it
	lease_time INTEGER NOT NULL DEFAULT 0,  -- the holder is at it until then
	holder     INTEGER NOT NULL DEFAULT 0,  -- the job that is at it, or was last
	batch      TEXT NOT NULL DEFAULT '',    -- ID of what is being tried, '' when nothing is
	batch_upto INTEGER NOT NULL DEFAULT 0,  -- the last event in it
	last_error TEXT NOT NULL DEFAULT '',
	UNIQUE (account_id, url, secret)
) STRICT;

CREATE TABLE webhook (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id         INTEGER NOT NULL,
	list_id            INTEGER NOT NULL, -- 0: all of the Account's
	object             TEXT NOT NULL,
	event              TEXT NOT NULL,
	target_id          INTEGER NOT NULL,
	creation_time      INTEGER NOT NULL,
	last_modified_time INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_account ON webhook (account_id, list_id);
CREATE INDEX webhook_target_id ON webhook (target_id);

-- Events that wait to be posted, in their order.
CREATE TABLE webhook_event (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	target_id  INTEGER NOT NULL,
	webhook_id INTEGER NOT NULL,
	list_id    INTEGER NOT NULL,
	contact_id INTEGER NOT NULL, -- 0: about the List
	object     TEXT NOT NULL,
	event      TEXT NOT NULL,
	time       INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_event_target ON webhook_event (target_id, id);

-- What was sent to a Contact because of an event: cause is 'a' with the
-- autoresponder's ID, or 'c' for the request to confirm.
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
	detail     TEXT NOT NULL, -- what the mail server said
	PRIMARY KEY (list_id, contact_id, event_time, cause)
) STRICT, WITHOUT ROWID;

-- Targets of links in Messages, as they are written there, merge fields and all.
CREATE TABLE link (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	message_id INTEGER NOT NULL,
	url        TEXT NOT NULL,
	UNIQUE (message_id, url)
) STRICT;
