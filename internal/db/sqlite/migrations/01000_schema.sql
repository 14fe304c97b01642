-- The tables of enlist 1.0.0. Times are Unix seconds, 0 if something never happened; flags are 0 or 1.

-- +goose Up

-- -------------------- The whole service

-- The table has one row. Each change of a definition, such as an Account, a key or a List, raises the version. A process
-- compares it with the version of its cache.
CREATE TABLE catalogue (
	version INTEGER NOT NULL
) STRICT;
INSERT INTO catalogue VALUES (1);

-- A setting that has another value than its default. The table of settings in the program has the names.
CREATE TABLE setting (
	account_id INTEGER NOT NULL, -- 0: the whole service
	name       TEXT NOT NULL,
	value      TEXT NOT NULL,
	PRIMARY KEY (account_id, name)
) STRICT, WITHOUT ROWID;

-- Secret keys that all processes on this database use, by name. No command and no reply
-- shows them.
CREATE TABLE secret (
	name  TEXT PRIMARY KEY,
	value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The last good backup and the schedule of serve --backup-dir: one row, or none. In a backup, the row is about this
-- backup itself.
CREATE TABLE backup (
	id         INTEGER PRIMARY KEY, -- 1
	time       INTEGER NOT NULL, -- when the last good backup began; 0: there is none
	name       TEXT NOT NULL, -- name of its file
	tried_time INTEGER NOT NULL, -- when a process last began a scheduled backup
	lease_time INTEGER NOT NULL, -- until then no other process begins one
	every      INTEGER NOT NULL, -- seconds between two scheduled backups; 0: no server makes backups
	error      TEXT NOT NULL -- why the last scheduled backup failed; empty: it did not fail
) STRICT;

-- An address that sent X-Forwarded-For to a server, although it is no trusted proxy. Each start of a server removes all.
CREATE TABLE untrusted_proxy (
	address TEXT PRIMARY KEY,
	time    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- -------------------- Accounts

CREATE TABLE account (
	id                INTEGER PRIMARY KEY AUTOINCREMENT,
	name              TEXT NOT NULL,
	time_zone         TEXT NOT NULL,
	contact_limit     INTEGER NOT NULL, -- -1: no limit
	contact_count     INTEGER NOT NULL DEFAULT 0,
	creation_time     INTEGER NOT NULL,
	sending_domains   TEXT NOT NULL, -- of the senders of its Batches, separated by spaces; '': any
	retain_events     INTEGER NOT NULL, -- days; 0: for ever
	retain_deliveries INTEGER NOT NULL, -- days; 0: for ever
	retain_audit      INTEGER NOT NULL, -- days; 0: for ever
	retention_time    INTEGER NOT NULL DEFAULT 0, -- when old data was last looked for
	theme             TEXT NOT NULL DEFAULT '' -- JSON; '': the default theme
) STRICT;

CREATE TABLE api_key (
	id             INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id     INTEGER NOT NULL,
	hash           BLOB NOT NULL UNIQUE, -- SHA-256 of the key's text
	name           TEXT NOT NULL,
	prefix         TEXT NOT NULL,
	level          INTEGER NOT NULL,
	lists          TEXT, -- JSON array of List IDs; NULL: all Lists of the Account
	creation_time  INTEGER NOT NULL,
	expiry_time    INTEGER NOT NULL,
	revoked_time   INTEGER NOT NULL,
	last_used_time INTEGER NOT NULL,
	rate           TEXT NOT NULL, -- such as 600/minute,burst=50; none: any number; default: the default of the server
	is_strict      INTEGER NOT NULL -- 1: a call with a key that means nothing to it is refused
) STRICT;

-- How far enlist migrate has come: one row for each Account that was moved in.
CREATE TABLE account_move (
	account_id INTEGER PRIMARY KEY,
	source     TEXT NOT NULL, -- URL of the service that the Account comes from
	state      TEXT NOT NULL -- JSON: the greatest Contact ID that was moved, and for each List how far it was read
) STRICT;

-- One row for each administrative act. Rows are added, and never changed or deleted. An erasure empties the columns that
-- can contain an address. Nothing else changes a row.
CREATE TABLE audit (
	id            INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id    INTEGER NOT NULL, -- 0: the complete database
	time          INTEGER NOT NULL,
	method        TEXT NOT NULL,
	key_id        INTEGER NOT NULL, -- 0: the command line
	key_name      TEXT NOT NULL,
	user_name     TEXT NOT NULL, -- of the command line
	ip_address    TEXT NOT NULL, -- of a call
	object        TEXT NOT NULL,
	object_id     INTEGER NOT NULL,
	list_id       INTEGER NOT NULL,
	before_values TEXT NOT NULL, -- JSON object; '': erased
	after_values  TEXT NOT NULL
) STRICT;
CREATE INDEX audit_account ON audit (account_id, time);
-- +goose StatementBegin
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
WHEN NOT (NEW.before_values = '' AND NEW.after_values = '' AND NEW.id = OLD.id AND NEW.account_id = OLD.account_id
	AND NEW.time = OLD.time AND NEW.method = OLD.method AND NEW.key_id = OLD.key_id AND NEW.key_name = OLD.key_name
	AND NEW.user_name = OLD.user_name AND NEW.ip_address = OLD.ip_address AND NEW.object = OLD.object
	AND NEW.object_id = OLD.object_id AND NEW.list_id = OLD.list_id)
BEGIN
	SELECT raise(ABORT, 'the audit log is append-only');
END;
-- +goose StatementEnd
-- A row can be deleted when it is older than 365 days.
-- +goose StatementBegin
CREATE TRIGGER audit_is_never_removed BEFORE DELETE ON audit
WHEN OLD.time > unixepoch() - 31536000
BEGIN
	SELECT raise(ABORT, 'the audit log is append-only');
END;
-- +goose StatementEnd

-- Results of calls with an Idempotency-Key. The server keeps them for a day.
CREATE TABLE retry (
	account_id  INTEGER NOT NULL,
	key_id      INTEGER NOT NULL,
	header      TEXT NOT NULL,
	fingerprint BLOB NOT NULL,
	time        INTEGER NOT NULL,
	result      TEXT,
	PRIMARY KEY (account_id, key_id, header)
) STRICT, WITHOUT ROWID;
CREATE INDEX retry_time ON retry (time);

-- -------------------- Users of the pages of the administration

-- Who may use the pages of the administration.
CREATE TABLE person (
	id            INTEGER PRIMARY KEY AUTOINCREMENT,
	email         TEXT NOT NULL, -- as it was typed
	email_key     TEXT NOT NULL UNIQUE, -- the normalised address
	name          TEXT NOT NULL,
	password      TEXT NOT NULL, -- Argon2id with its parameters and salt; '': signs in by links only
	creation_time INTEGER NOT NULL,
	sign_in_time  INTEGER NOT NULL, -- of the last sign-in; 0: never
	all_accounts  INTEGER NOT NULL DEFAULT 0 -- 1: memberships do not count
) STRICT;

-- What a person may do in an Account.
CREATE TABLE membership (
	person_id  INTEGER NOT NULL,
	account_id INTEGER NOT NULL,
	level      INTEGER NOT NULL, -- as of api_key
	lists      TEXT, -- as of api_key
	may_send   INTEGER NOT NULL,
	PRIMARY KEY (person_id, account_id)
) STRICT, WITHOUT ROWID;

-- Links with which a person signs in once.
CREATE TABLE sign_in_link (
	hash        BLOB NOT NULL PRIMARY KEY, -- SHA-256 of the link's text
	person_id   INTEGER NOT NULL, -- 0: makes the first person
	expiry_time INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
	id             INTEGER PRIMARY KEY AUTOINCREMENT,
	hash           BLOB NOT NULL UNIQUE, -- SHA-256 of the cookie's text
	person_id      INTEGER NOT NULL,
	account_id     INTEGER NOT NULL, -- that the pages show
	agent          TEXT NOT NULL, -- User-Agent of the browser that signed in
	ip             TEXT NOT NULL, -- from which it signed in
	creation_time  INTEGER NOT NULL,
	last_used_time INTEGER NOT NULL -- may be a minute earlier than the last use
) STRICT;
CREATE INDEX session_person ON session (person_id);

CREATE TABLE passkey (
	id             INTEGER PRIMARY KEY AUTOINCREMENT,
	person_id      INTEGER NOT NULL,
	hash           BLOB NOT NULL UNIQUE, -- SHA-256 of the credential's ID
	name           TEXT NOT NULL, -- that the person chose
	credential     TEXT NOT NULL, -- the credential record of WebAuthn as JSON, with the public key
	creation_time  INTEGER NOT NULL,
	last_used_time INTEGER NOT NULL -- of the last sign-in with it; 0: never
) STRICT;
CREATE INDEX passkey_person ON passkey (person_id);

-- Challenges with which a person has signed in. None of them works a second time.
CREATE TABLE passkey_challenge (
	hash        BLOB NOT NULL PRIMARY KEY, -- SHA-256 of the challenge
	expiry_time INTEGER NOT NULL -- of the challenge; the row is useless afterwards
) STRICT, WITHOUT ROWID;

-- -------------------- Folders and files

CREATE TABLE folder (
	id            INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id    INTEGER NOT NULL,
	name          TEXT NOT NULL,
	type          TEXT NOT NULL, -- list, message or file
	creation_time INTEGER NOT NULL
) STRICT;
CREATE INDEX folder_account ON folder (account_id);

-- Files of an Account.
CREATE TABLE file (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id         INTEGER NOT NULL,
	creator_key_id     INTEGER NOT NULL,
	creator_name       TEXT NOT NULL,
	creation_time      INTEGER NOT NULL,
	last_modified_time INTEGER NOT NULL,
	folder_id          INTEGER NOT NULL,
	name               TEXT NOT NULL,
	type               TEXT NOT NULL, -- media type
	size               INTEGER NOT NULL, -- in bytes
	content_id         INTEGER NOT NULL,
	image_width        INTEGER NOT NULL, -- in pixels; 0: no image whose size is known
	image_height       INTEGER NOT NULL,
	modifier_key_id    INTEGER NOT NULL, -- the key that stored the content
	UNIQUE (folder_id, name)
) STRICT;
CREATE INDEX file_account ON file (account_id);
CREATE INDEX file_by_content ON file (content_id);

-- The content of a file. A file that is overwritten gets other content.
CREATE TABLE file_content (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id INTEGER NOT NULL,
	size       INTEGER NOT NULL -- in bytes; 0: no file has the content any more, and a job removes it
) STRICT;
CREATE INDEX file_content_account ON file_content (account_id);

-- The bytes of a content, in pieces of at most 256 KiB with the numbers 0, 1, 2 and so on.
CREATE TABLE file_piece (
	content_id INTEGER NOT NULL,
	number     INTEGER NOT NULL,
	data       BLOB NOT NULL,
	PRIMARY KEY (content_id, number)
) STRICT;

-- -------------------- Lists

CREATE TABLE list (
	id                  INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id          INTEGER NOT NULL,
	creator_key_id      INTEGER NOT NULL,
	creator_name        TEXT NOT NULL,
	name                TEXT NOT NULL,
	creation_time       INTEGER NOT NULL,
	last_modified_time  INTEGER NOT NULL,
	on_register         TEXT NOT NULL,
	on_update           TEXT NOT NULL,
	on_unsubscribe      TEXT NOT NULL,
	disallow_duplicates INTEGER NOT NULL,
	send_to_duplicates  INTEGER NOT NULL,
	folder_id           INTEGER NOT NULL,
	country_code        INTEGER NOT NULL,
	virtual_number      TEXT NOT NULL,
	sms_stop_words      TEXT NOT NULL,
	sms_response_action TEXT NOT NULL,
	sms_response_fields TEXT NOT NULL,
	address_types       TEXT NOT NULL,
	gdpr                INTEGER NOT NULL,
	double_opt_in       INTEGER NOT NULL,
	track_opens         INTEGER NOT NULL,
	track_clicks        INTEGER NOT NULL,
	from_name           TEXT NOT NULL,
	from_address        TEXT NOT NULL,
	language            TEXT NOT NULL,
	confirm_subject     TEXT NOT NULL, -- of the request to confirm; '': a text of the language
	confirm_text        TEXT NOT NULL, -- as confirm_subject
	consent_text        TEXT NOT NULL,
	imprint             TEXT NOT NULL,
	is_public           INTEGER NOT NULL, -- subscribers of other Lists may see it and join it
	description         TEXT NOT NULL, -- for subscribers
	farewell_text       TEXT NOT NULL, -- '': a text of the language
	preferences_text    TEXT NOT NULL, -- '': none
	contact_count       INTEGER NOT NULL DEFAULT 0,
	hidden              INTEGER NOT NULL DEFAULT 0 -- 1: the List is deleted, and a job removes its Contacts
) STRICT;
CREATE INDEX list_account ON list (account_id);

CREATE TABLE field (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	list_id            INTEGER NOT NULL,
	name               TEXT NOT NULL,
	type               TEXT NOT NULL,
	mandatory          INTEGER NOT NULL,
	allow_update       INTEGER NOT NULL,
	show_in_form       INTEGER NOT NULL,
	length             INTEGER NOT NULL,
	size               INTEGER NOT NULL,
	row_size           TEXT NOT NULL,
	default_value      TEXT NOT NULL,
	value_list         TEXT NOT NULL,
	default_list       TEXT NOT NULL,
	dont_store_default INTEGER NOT NULL,
	allowed_file_types TEXT NOT NULL,
	file_folder_id     INTEGER NOT NULL,
	address_type       TEXT NOT NULL,
	time_format        TEXT NOT NULL,
	date_validation    TEXT NOT NULL,
	display_order      INTEGER NOT NULL,
	UNIQUE (list_id, name)
) STRICT;
CREATE INDEX field_folder ON field (file_folder_id) WHERE file_folder_id <> 0;

CREATE TABLE preference (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	list_id INTEGER NOT NULL,
	name    TEXT NOT NULL,
	UNIQUE (list_id, name)
) STRICT;

-- Named criteria of Lists.
CREATE TABLE segment (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id         INTEGER NOT NULL,
	list_id            INTEGER NOT NULL,
	name               TEXT NOT NULL, -- unique in the List without letter case: only the program compares it
	criteria           TEXT NOT NULL, -- JSON, as in batch_population
	creation_time      INTEGER NOT NULL,
	last_modified_time INTEGER NOT NULL
) STRICT;
CREATE INDEX segment_list ON segment (list_id);

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

-- Indexes of one key of one List each. The service adds an index when searches need it. state is waiting, building,
-- ready, failed or dropping. Searches use only indexes that are ready. The index in the database is called search_<id>.
CREATE TABLE search_index (
	id             INTEGER PRIMARY KEY AUTOINCREMENT,
	list_id        INTEGER NOT NULL,
	key_name       TEXT NOT NULL, -- field_12, or the name of a system key
	state          TEXT NOT NULL,
	by_hand        INTEGER NOT NULL,
	creation_time  INTEGER NOT NULL,
	state_time     INTEGER NOT NULL, -- when state changed last, or when a build was last tried
	built_time     INTEGER NOT NULL,
	build_ms       INTEGER NOT NULL,
	bytes          INTEGER NOT NULL, -- size of the index when it was built
	last_used_time INTEGER NOT NULL DEFAULT 0,
	error          TEXT NOT NULL -- why the last build failed
) STRICT;
CREATE UNIQUE INDEX search_index_key ON search_index (list_id, key_name);

-- -------------------- Contacts

-- field_values is a JSONB object with Field IDs as keys: {"12":"NSW","13":12.50}. Texts
-- and dates are JSON strings; decimals and currencies are JSON numbers. An empty value is
-- left out. preference_values is a JSON object with preference IDs as keys, {"3":true},
-- or ''.
-- dedupe_key is the normalised address. This is the email address, which contains "@". If
-- the Contact has no email address, it is the mobile number. The List's primary Contact
-- with an address has the address in dedupe_key. Every other Contact with the same address
-- has it in duplicate_key. One of the two columns is NULL.
CREATE TABLE contact (
	id                    INTEGER PRIMARY KEY AUTOINCREMENT,
	list_id               INTEGER NOT NULL,
	dedupe_key            TEXT,
	duplicate_key         TEXT,
	mobile_key            TEXT,
	creation_time         INTEGER NOT NULL,
	last_modified_time    INTEGER NOT NULL,
	double_opt_in         INTEGER NOT NULL,
	double_opt_in_time    INTEGER NOT NULL,
	is_active             INTEGER NOT NULL,
	is_bounce_deactivated INTEGER NOT NULL,
	is_unsubscribed       INTEGER NOT NULL,
	last_click_time       INTEGER NOT NULL,
	last_message_time     INTEGER NOT NULL,
	last_open_time        INTEGER NOT NULL,
	subscribed_via        TEXT NOT NULL,
	webform_id            INTEGER NOT NULL,
	preference_values     TEXT NOT NULL,
	language              TEXT NOT NULL DEFAULT '', -- ISO 639-1; '': not known
	confirmation_time     INTEGER NOT NULL DEFAULT 0, -- when the Contact was last asked to confirm the subscription
	subscription_waits    INTEGER NOT NULL DEFAULT 0, -- 1: the subscription is not confirmed; autoresponders wait for that
	bounce_time           INTEGER NOT NULL DEFAULT 0, -- when bounces last deactivated the Contact; older mails no longer count
	field_values          BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX contact_dedupe ON contact (list_id, dedupe_key) WHERE dedupe_key IS NOT NULL;
CREATE INDEX contact_duplicate ON contact (list_id, duplicate_key) WHERE duplicate_key IS NOT NULL;
CREATE INDEX contact_mobile ON contact (list_id, mobile_key) WHERE mobile_key IS NOT NULL;
CREATE INDEX contact_list ON contact (list_id, id);
CREATE INDEX contact_created ON contact (list_id, creation_time, id);
CREATE INDEX contact_modified ON contact (list_id, last_modified_time, id);

-- The consent ledger. Rows are added, and never changed or deleted. The rows of a
-- Contact are stored together and have the numbers 1, 2, 3 and so on.
CREATE TABLE consent (
	list_id     INTEGER NOT NULL,
	contact_id  INTEGER NOT NULL,
	number      INTEGER NOT NULL,
	time        INTEGER NOT NULL,
	method      TEXT NOT NULL,
	type        TEXT NOT NULL,
	text        TEXT NOT NULL,
	ip          TEXT NOT NULL,
	preferences TEXT NOT NULL, -- JSON array of {name, agree}, or ''
	key_id      INTEGER NOT NULL,
	import_id   INTEGER NOT NULL DEFAULT 0, -- that the row comes from; 0: none
	import_row  INTEGER NOT NULL DEFAULT 0, -- its number in the file
	PRIMARY KEY (list_id, contact_id, number)
) STRICT, WITHOUT ROWID;
-- +goose StatementBegin
CREATE TRIGGER consent_is_never_removed BEFORE DELETE ON consent
BEGIN
	SELECT raise(ABORT, 'the consent ledger is append-only');
END;
-- +goose StatementEnd
-- An erasure empties the columns of the ledger that say something about the person. Nothing else changes a row.
-- +goose StatementBegin
CREATE TRIGGER consent_is_never_changed BEFORE UPDATE ON consent
WHEN NOT (NEW.text = '' AND NEW.ip = '' AND NEW.preferences = '' AND NEW.import_row = 0
	AND NEW.list_id = OLD.list_id AND NEW.contact_id = OLD.contact_id AND NEW.number = OLD.number AND NEW.time = OLD.time
	AND NEW.method = OLD.method AND NEW.type = OLD.type AND NEW.key_id = OLD.key_id AND NEW.import_id = OLD.import_id)
BEGIN
	SELECT raise(ABORT, 'the consent ledger is append-only');
END;
-- +goose StatementEnd

-- The Unsubscriber List contains all addresses that have unsubscribed, even if they have
-- subscribed again.
CREATE TABLE unsubscriber (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id   INTEGER NOT NULL,
	list_id      INTEGER NOT NULL,
	contact_id   INTEGER NOT NULL,
	address_type TEXT NOT NULL,
	address      TEXT NOT NULL,
	address_key  TEXT NOT NULL,
	time         INTEGER NOT NULL
) STRICT;
CREATE INDEX unsubscriber_list ON unsubscriber (account_id, list_id);
CREATE INDEX unsubscriber_address ON unsubscriber (account_id, address_key);
CREATE INDEX unsubscriber_time ON unsubscriber (account_id, time);

-- Why a Contact unsubscribed, if the person said it on the page.
CREATE TABLE departure (
	list_id    INTEGER NOT NULL,
	contact_id INTEGER NOT NULL,
	time       INTEGER NOT NULL,
	reason     TEXT NOT NULL, -- too_many, not_interesting, never_subscribed or other
	words      TEXT NOT NULL, -- of the person; '': none
	PRIMARY KEY (list_id, contact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX departure_reason ON departure (list_id, reason);
CREATE INDEX departure_words ON departure (list_id, time, contact_id) WHERE words <> '';

-- Changes of many Contacts, which a job makes in steps.
CREATE TABLE contact_change (
	id            INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id    INTEGER NOT NULL,
	list_id       INTEGER NOT NULL,
	action        TEXT NOT NULL, -- deactivate, reactivate, unsubscribe, delete or set
	field_id      INTEGER NOT NULL, -- whose value is set; 0: another action
	value         TEXT NOT NULL, -- that is set
	total         INTEGER NOT NULL, -- Contacts that matched
	done          INTEGER NOT NULL, -- of them, those that the job has looked at
	changed       INTEGER NOT NULL, -- of those, how many were changed
	reason        TEXT NOT NULL, -- why the change was given up
	creation_time INTEGER NOT NULL,
	end_time      INTEGER NOT NULL -- 0: it runs
) STRICT;
CREATE INDEX contact_change_list ON contact_change (list_id);

-- The Contacts that are still to be changed.
CREATE TABLE contact_change_part (
	change_id INTEGER NOT NULL,
	first     INTEGER NOT NULL, -- position of the first one among all Contacts of the change
	contacts  TEXT NOT NULL, -- IDs in ascending order, as JSON
	PRIMARY KEY (change_id, first)
) STRICT, WITHOUT ROWID;

-- -------------------- Forms and Imports

-- Pages and snippets with which people subscribe to a List.
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
	last_modified_time INTEGER NOT NULL,
	preference_ids     TEXT NOT NULL, -- in their order, with commas
	translations       TEXT NOT NULL -- JSON: the texts by language; '': none
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

-- Mailboxes to which a mail went that anyone can ask for, such as a request to confirm.
CREATE TABLE asked_mailbox (
	hash BLOB NOT NULL PRIMARY KEY, -- SHA-256 of the kind of mail, the List and the mailbox
	time INTEGER NOT NULL -- of the mail; the row is useless after ten minutes
) STRICT, WITHOUT ROWID;

-- Imports of Contacts from files.
CREATE TABLE import (
	id             INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id     INTEGER NOT NULL,
	list_id        INTEGER NOT NULL,
	creator_key_id INTEGER NOT NULL,
	creator_name   TEXT NOT NULL,
	creation_time  INTEGER NOT NULL,
	options        TEXT NOT NULL, -- JSON
	content_id     INTEGER NOT NULL, -- the file; 0: it was removed
	size           INTEGER NOT NULL, -- of the file, in bytes
	sha256         TEXT NOT NULL, -- of the file, in hex; empty while it is uploaded
	columns        TEXT NOT NULL, -- JSON: the columns of the file and what each of them is stored as
	state          TEXT NOT NULL,
	reason         TEXT NOT NULL, -- why the import failed or was paused
	owner          TEXT NOT NULL, -- the process that runs the import
	lease_until    INTEGER NOT NULL, -- until when no other process may run it
	start_time     INTEGER NOT NULL,
	end_time       INTEGER NOT NULL,
	done_rows      INTEGER NOT NULL, -- number of rows of the file that are stored
	done_bytes     INTEGER NOT NULL, -- number of bytes of the file that were read for them
	added          INTEGER NOT NULL,
	updated        INTEGER NOT NULL,
	unchanged      INTEGER NOT NULL,
	skipped        INTEGER NOT NULL,
	refused        INTEGER NOT NULL,
	published      TEXT NOT NULL, -- JSON: the events for webhooks so far
	speed          TEXT NOT NULL, -- JSON: rows done in each period since the start
	report         TEXT NOT NULL DEFAULT '{}' -- JSON: its samples are removed with the results
) STRICT;
CREATE INDEX import_account ON import (account_id);
CREATE INDEX import_content ON import (content_id);

-- The results of an import's rows. A row of this table has the results of one step.
CREATE TABLE import_result (
	import_id INTEGER NOT NULL,
	number    INTEGER NOT NULL, -- number of rows in earlier steps
	data      BLOB NOT NULL, -- JSON, compressed
	PRIMARY KEY (import_id, number)
) STRICT;

-- -------------------- Messages and autoresponders

CREATE TABLE message (
	id                        INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id                INTEGER NOT NULL,
	creator_key_id            INTEGER NOT NULL,
	creator_name              TEXT NOT NULL,
	creation_time             INTEGER NOT NULL,
	last_modified_time        INTEGER NOT NULL,
	type                      TEXT NOT NULL, -- email or sms
	name                      TEXT NOT NULL,
	folder_id                 INTEGER NOT NULL,
	email_type                TEXT NOT NULL, -- html, plain-html, plain or raw_html
	subject                   TEXT NOT NULL,
	html_content              TEXT NOT NULL,
	text_content              TEXT NOT NULL,
	sms_content               TEXT NOT NULL,
	from_name                 TEXT NOT NULL,
	from_address              TEXT NOT NULL,
	reply_to                  TEXT NOT NULL,
	attachments               TEXT NOT NULL, -- IDs of files, separated by commas
	inline_images             TEXT NOT NULL, -- as attachments
	show_unsubscribe_link     INTEGER NOT NULL, -- 1: true
	show_update_profile_link  INTEGER NOT NULL,
	update_profile_list_id    INTEGER NOT NULL,
	update_profile_webform_id INTEGER NOT NULL,
	unsubscribe_list_id       INTEGER NOT NULL,
	unsubscribe_webform_id    INTEGER NOT NULL,
	authorised_sender         TEXT NOT NULL,
	postal_address            TEXT NOT NULL,
	blocks                    TEXT NOT NULL, -- JSON
	creator_person_id         INTEGER NOT NULL DEFAULT 0 -- 0: a key or the operator
) STRICT;
CREATE INDEX message_account ON message (account_id);

-- Targets of the links in Messages. A URL is as in the Message: its merge fields are
-- not replaced by values.
CREATE TABLE link (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	message_id INTEGER NOT NULL,
	url        TEXT NOT NULL,
	since_time INTEGER NOT NULL, -- last_modified_time of the first edition of the Message that has the link
	until_time INTEGER NOT NULL, -- and of the last one
	UNIQUE (message_id, url)
) STRICT;

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
	specific_minute    INTEGER NOT NULL,
	segment_id         INTEGER NOT NULL -- sends to the Contacts of this Segment; 0: to all
) STRICT;
CREATE INDEX autoresponder_list ON autoresponder (list_id);
CREATE INDEX autoresponder_account ON autoresponder (account_id);

-- The Batch that has the figures of an autoresponder.
CREATE TABLE autoresponder_batch (
	autoresponder_id INTEGER PRIMARY KEY,
	batch_id         INTEGER NOT NULL UNIQUE
) STRICT;

-- -------------------- Batches

-- A Message for many Contacts, and the sums of what became of its mails.
CREATE TABLE batch (
	id                INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id        INTEGER NOT NULL,
	creator_key_id    INTEGER NOT NULL,
	creator_name      TEXT NOT NULL,
	creation_time     INTEGER NOT NULL,
	list_id           INTEGER NOT NULL, -- the List of the first population
	message_id        INTEGER NOT NULL,
	message_type      TEXT NOT NULL,
	is_scheduled      INTEGER NOT NULL,
	is_test           INTEGER NOT NULL,
	is_populated      INTEGER NOT NULL,
	status            TEXT NOT NULL, -- initialising, pending, sending, completed, failed, cancelled, paused or deleted
	reason            TEXT NOT NULL, -- why the server paused or failed the Batch
	send_time         INTEGER NOT NULL,
	first_sent_time   INTEGER NOT NULL,
	last_sent_time    INTEGER NOT NULL,
	active_time       INTEGER NOT NULL, -- when the server last worked on the Batch, or a caller last continued it
	recent_mails      INTEGER NOT NULL, -- about the last 1,000 mails; both numbers are halved at 1,000
	recent_bounces    INTEGER NOT NULL, -- of these
	-- Numbers of recipients and of mails.
	recipients        INTEGER NOT NULL DEFAULT 0,
	sent              INTEGER NOT NULL DEFAULT 0, -- accepted by the mail server
	refused           INTEGER NOT NULL DEFAULT 0, -- refused by the mail server because of the address
	bounced           INTEGER NOT NULL DEFAULT 0, -- refused, or reported later
	failed            INTEGER NOT NULL DEFAULT 0, -- not sent for another reason
	skipped           INTEGER NOT NULL DEFAULT 0, -- recipients that must not get the mail any more
	complained        INTEGER NOT NULL DEFAULT 0,
	unsubscribed      INTEGER NOT NULL DEFAULT 0, -- by the link in the mail, or by a complaint
	deactivated       INTEGER NOT NULL DEFAULT 0, -- because of a bounce of this Batch
	repeated          INTEGER NOT NULL DEFAULT 0, -- sent again after a crash, because the outcome was unknown
	-- Numbers of Contacts that were left out, by reason.
	left_unsubscribed INTEGER NOT NULL DEFAULT 0,
	left_inactive     INTEGER NOT NULL DEFAULT 0,
	left_unconfirmed  INTEGER NOT NULL DEFAULT 0,
	left_no_address   INTEGER NOT NULL DEFAULT 0,
	left_duplicate    INTEGER NOT NULL DEFAULT 0,
	left_sent_before  INTEGER NOT NULL DEFAULT 0,
	left_gone         INTEGER NOT NULL DEFAULT 0,
	name              TEXT NOT NULL,
	skips_doubtful    INTEGER NOT NULL, -- 1: a mail whose outcome is unknown is not sent again
	doubtful          INTEGER NOT NULL DEFAULT 0, -- number of these mails
	left_excluded     INTEGER NOT NULL DEFAULT 0, -- number of Contacts that batch_exclusion left out
	rate              TEXT NOT NULL, -- such as 20/second,5000/day
	local_time        TEXT NOT NULL, -- name of the Field with the time zones of the recipients; '': none
	variants          TEXT NOT NULL, -- JSON of the variants, their test and the winner; '': none
	left_suppressed   INTEGER NOT NULL DEFAULT 0, -- the address is on the Unsubscriber List for all Lists
	recent_complaints INTEGER NOT NULL, -- complaints while about the last 1,000 mails were sent
	begun_time        INTEGER NOT NULL, -- when a sender first took recipients; 0: no mail can have left
	events_removed    INTEGER NOT NULL DEFAULT 0, -- when opens and clicks were removed; negative: the removal began then; 0: they are kept
	texts_removed     INTEGER NOT NULL DEFAULT 0, -- when the addresses and texts of its recipients were removed; 0: not yet
	contradicted      INTEGER NOT NULL DEFAULT 0, -- mails that other counts have twice, such as those that were opened and bounced
	is_forced         INTEGER NOT NULL -- 1: the caller wants to send it although its Message has no content
) STRICT;
CREATE INDEX batch_account ON batch (account_id);
CREATE INDEX batch_sending ON batch (id) WHERE status = 'sending';
CREATE INDEX batch_status ON batch (account_id, status);
CREATE INDEX batch_message ON batch (account_id, message_id);
CREATE INDEX batch_variants ON batch (account_id) WHERE variants <> '';

-- Which Contacts a Batch is for. Populations are read in the order of their numbers.
CREATE TABLE batch_population (
	batch_id INTEGER NOT NULL,
	number   INTEGER NOT NULL,
	list_id  INTEGER NOT NULL,
	type     TEXT NOT NULL, -- list, unsent, contacts or search
	contacts TEXT NOT NULL, -- set of Contact IDs; a search is replaced by the Contacts that it finds
	criteria TEXT NOT NULL, -- JSON of the criteria of a search
	at_send  INTEGER NOT NULL, -- 1: the recipients are read at the send time
	upto     INTEGER NOT NULL, -- highest ID to read; 0: not known yet
	last_id  INTEGER NOT NULL, -- the Contacts up to this ID are done
	done     INTEGER NOT NULL,
	PRIMARY KEY (batch_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX batch_population_list ON batch_population (list_id);

-- Contacts of the populations that a Batch leaves out.
CREATE TABLE batch_exclusion (
	batch_id INTEGER PRIMARY KEY,
	criteria TEXT NOT NULL, -- JSON of the criteria that they match
	batches  TEXT NOT NULL -- JSON array of the Batches that they were sent
) STRICT;

-- Editions of the Messages that a Batch has sent. An edit of a Message makes a new edition.
CREATE TABLE batch_edition (
	batch_id     INTEGER NOT NULL,
	variant      INTEGER NOT NULL, -- number of the variant, from 1; 0: the Batch has no variants
	message_id   INTEGER NOT NULL,
	message_time INTEGER NOT NULL, -- last_modified_time of the Message
	subject      TEXT NOT NULL, -- with merge fields
	first_time   INTEGER NOT NULL, -- when the first mail was stored
	sent         INTEGER NOT NULL, -- number of mails that the mail server accepted
	PRIMARY KEY (batch_id, variant, message_id, message_time)
) STRICT, WITHOUT ROWID;

-- Parts of a Batch. A process leases a slice to send its mails.
CREATE TABLE batch_slice (
	batch_id   INTEGER NOT NULL,
	number     INTEGER NOT NULL,
	list_id    INTEGER NOT NULL,
	first_id   INTEGER NOT NULL, -- the recipients with the IDs first_id to last_id
	last_id    INTEGER NOT NULL,
	holder     TEXT NOT NULL, -- token of the process that has the lease, or had it last
	lease_time INTEGER NOT NULL, -- end of the lease; before this time no other process takes the slice
	done       INTEGER NOT NULL,
	PRIMARY KEY (batch_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX batch_slice_open ON batch_slice (batch_id, number) WHERE done = 0;

-- Recipients of Batches. The rows of a Batch in a List follow one another.
CREATE TABLE recipient (
	list_id           INTEGER NOT NULL,
	batch_id          INTEGER NOT NULL,
	contact_id        INTEGER NOT NULL,
	slice             INTEGER NOT NULL, -- number of the slice that sends the mail
	status            TEXT NOT NULL, -- waiting, sending, deferred, sent, bounced, failed, complained or skipped
	time              INTEGER NOT NULL, -- of the status; for deferred: of the next attempt
	attempts          INTEGER NOT NULL, -- failed attempts
	address           TEXT NOT NULL,
	detail            TEXT NOT NULL, -- reply of the mail server, text of a report, or why the recipient was skipped
	sent_time         INTEGER NOT NULL,
	unsubscribed_time INTEGER NOT NULL,
	deactivated_time  INTEGER NOT NULL,
	PRIMARY KEY (list_id, batch_id, contact_id)
) STRICT, WITHOUT ROWID;

-- What happened to the mail of a recipient: at most one row for each kind, and one for each link that was clicked.
CREATE TABLE recipient_event (
	list_id     INTEGER NOT NULL,
	batch_id    INTEGER NOT NULL,
	contact_id  INTEGER NOT NULL,
	kind        TEXT NOT NULL, -- opened, clicked, link, bounced, complained, unsubscribed or deactivated
	link_id     INTEGER NOT NULL, -- the clicked link; 0 for kinds other than link
	time        INTEGER NOT NULL, -- of the first event
	last_time   INTEGER NOT NULL, -- of the last event
	count       INTEGER NOT NULL, -- number of events
	human_time  INTEGER NOT NULL, -- of the first event by a person; 0: only programs
	device      TEXT NOT NULL, -- of the first open: desktop, mobile or unknown
	mail_client TEXT NOT NULL, -- of the first open: a group of mail programs
	PRIMARY KEY (list_id, batch_id, contact_id, kind, link_id)
) STRICT, WITHOUT ROWID;
-- The recipients with a kind of event, in order of ID.
CREATE INDEX recipient_event_kind ON recipient_event (list_id, batch_id, kind, link_id, contact_id);

-- Sums of opens and clicks for a period of a Batch. Each sum is divided into 16 parts, so that transactions rarely
-- wait for each other. A report adds the parts.
CREATE TABLE batch_sum (
	batch_id            INTEGER NOT NULL,
	time                INTEGER NOT NULL, -- beginning of the period: an hour, or a day after the first week
	part                INTEGER NOT NULL, -- 0 to 15
	opens               INTEGER NOT NULL, -- requests for the image
	image_opened        INTEGER NOT NULL, -- mails that were opened first by the image
	click_opened        INTEGER NOT NULL, -- mails that were opened first by a click
	human_opened        INTEGER NOT NULL, -- mails that a person opened
	clicks              INTEGER NOT NULL,
	clicked             INTEGER NOT NULL, -- mails in which a link was clicked
	links_clicked       INTEGER NOT NULL, -- pairs of a mail and a clicked link
	human_clicked       INTEGER NOT NULL, -- mails in which a person clicked
	human_links_clicked INTEGER NOT NULL, -- pairs of a mail and a link that a person clicked
	PRIMARY KEY (batch_id, time, part)
) STRICT, WITHOUT ROWID;

-- Clicks of the links of a Batch. The URL is stored here too, because the Message can be deleted.
CREATE TABLE batch_link (
	batch_id INTEGER NOT NULL,
	link_id  INTEGER NOT NULL,
	part     INTEGER NOT NULL, -- 0 to 15, as in batch_sum
	url      TEXT NOT NULL,
	clicks   INTEGER NOT NULL,
	contacts INTEGER NOT NULL, -- mails in which the link was clicked
	humans   INTEGER NOT NULL, -- mails in which a person clicked the link
	PRIMARY KEY (batch_id, link_id, part)
) STRICT, WITHOUT ROWID;

-- Opened mails of a Batch by the program of the first open.
CREATE TABLE batch_agent (
	batch_id    INTEGER NOT NULL,
	device      TEXT NOT NULL,
	mail_client TEXT NOT NULL,
	part        INTEGER NOT NULL, -- 0 to 15, as in batch_sum
	opened      INTEGER NOT NULL,
	PRIMARY KEY (batch_id, device, mail_client, part)
) STRICT, WITHOUT ROWID;

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

-- -------------------- Mails

-- A domain from which one Account sends, with the DKIM keys that sign its mails.
CREATE TABLE sending_domain (
	id               INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id       INTEGER NOT NULL,
	domain           TEXT NOT NULL, -- in ASCII and lower case
	selector         TEXT NOT NULL, -- of the key that signs
	private_key      TEXT NOT NULL, -- PKCS #8 in PEM
	next_selector    TEXT NOT NULL, -- of the key that will sign; empty: there is none
	next_private_key TEXT NOT NULL,
	old_selector     TEXT NOT NULL, -- of the key before the last switch, whose record may still be looked up; empty: none
	switch_time      INTEGER NOT NULL, -- when mails were first signed with the present key after a switch; 0: no switch
	creation_time    INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX sending_domain_name ON sending_domain (domain);
CREATE INDEX sending_domain_account ON sending_domain (account_id);

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
	id          INTEGER PRIMARY KEY, -- 1
	reason      TEXT NOT NULL,
	time        INTEGER NOT NULL, -- when the hold began
	backup_time INTEGER NOT NULL -- after a restore: when the backup was made; webhooks are held too
) STRICT;

-- Numbers of mails of Batches by day, for a warm-up plan.
CREATE TABLE mail_day (
	relay TEXT NOT NULL, -- host and port of the mail server
	day   TEXT NOT NULL, -- such as 2027-01-31
	mails INTEGER NOT NULL,
	PRIMARY KEY (relay, day)
) STRICT, WITHOUT ROWID;

-- How long the oldest mail of an Account waited, for the page Sending health. decisions.md: 137
CREATE TABLE queue_age (
	account_id INTEGER NOT NULL,
	time       INTEGER NOT NULL, -- start of five minutes in which a mail waited for a minute or longer
	age        INTEGER NOT NULL, -- the largest one in these five minutes, in seconds
	PRIMARY KEY (account_id, time)
) STRICT, WITHOUT ROWID;
CREATE INDEX queue_age_time ON queue_age (time);

-- -------------------- Webhooks

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

-- The receivers of webhooks. Webhooks with the same URL and secret share one target, so
-- that their events arrive together and in order.
CREATE TABLE webhook_target (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id INTEGER NOT NULL,
	url        TEXT NOT NULL,
	secret     TEXT NOT NULL,
	is_failing INTEGER NOT NULL DEFAULT 0, -- 1: nothing is sent until a webhook of the target is edited or the operator retries
	-- The columns below are the state of the delivery. They change often and are not part of
	-- the definitions, so they do not increment the catalogue's version.
	failures   INTEGER NOT NULL DEFAULT 0, -- failed attempts since the last success
	next_time  INTEGER NOT NULL DEFAULT 0, -- time before which no attempt is made
	call_time  INTEGER NOT NULL DEFAULT 0, -- when a job for this target was enqueued that has not started; 0: there is none
	lease_time INTEGER NOT NULL DEFAULT 0, -- end of the lease
	holder     INTEGER NOT NULL DEFAULT 0, -- ID of the job that has the lease, or had it last
	batch      TEXT NOT NULL DEFAULT '', -- ID of the batch of events that is being sent, '' if none is
	batch_upto INTEGER NOT NULL DEFAULT 0, -- ID of the last event in the batch
	last_error TEXT NOT NULL DEFAULT '',
	UNIQUE (account_id, url, secret)
) STRICT;

-- Events that have not been sent to their target yet, in the order of their IDs.
CREATE TABLE webhook_event (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	target_id  INTEGER NOT NULL,
	webhook_id INTEGER NOT NULL,
	list_id    INTEGER NOT NULL,
	contact_id INTEGER NOT NULL, -- 0: the event is about the List
	batch_id   INTEGER NOT NULL, -- 0: the event has no Batch
	object     TEXT NOT NULL,
	event      TEXT NOT NULL,
	time       INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_event_target ON webhook_event (target_id, id);
