-- Times are Unix seconds, 0 if something never happened; flags are 0 or 1.

-- +goose Up

-- The table has one row. Every change of a definition, such as an Account, a key or a
-- List, raises the version. A process compares it with the version of its cache.
CREATE TABLE catalogue (
	version INTEGER NOT NULL
) STRICT;
INSERT INTO catalogue VALUES (1);

CREATE TABLE account (
	id            INTEGER PRIMARY KEY AUTOINCREMENT,
	name          TEXT NOT NULL,
	time_zone     TEXT NOT NULL,
	contact_limit INTEGER NOT NULL, -- -1: no limit
	contact_count INTEGER NOT NULL DEFAULT 0,
	creation_time INTEGER NOT NULL
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
	last_used_time INTEGER NOT NULL
) STRICT;

CREATE TABLE folder (
	id            INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id    INTEGER NOT NULL,
	name          TEXT NOT NULL,
	type          TEXT NOT NULL, -- list, message or file
	creation_time INTEGER NOT NULL
) STRICT;
CREATE INDEX folder_account ON folder (account_id);

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
	contact_count       INTEGER NOT NULL DEFAULT 0,
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

CREATE TABLE preference (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	list_id INTEGER NOT NULL,
	name    TEXT NOT NULL,
	UNIQUE (list_id, name)
) STRICT;

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
	PRIMARY KEY (list_id, contact_id, number)
) STRICT, WITHOUT ROWID;
-- +goose StatementBegin
CREATE TRIGGER consent_is_never_changed BEFORE UPDATE ON consent
BEGIN
	SELECT raise(ABORT, 'the consent ledger is append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER consent_is_never_removed BEFORE DELETE ON consent
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
