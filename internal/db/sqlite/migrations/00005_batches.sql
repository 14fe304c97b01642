-- Batches: a Message for many Contacts, who gets it, and what became of each mail.

-- +goose Up

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
	is_populated      INTEGER NOT NULL DEFAULT 0,
	status            TEXT NOT NULL, -- initialising, pending, sending, completed, failed, cancelled, paused or deleted
	reason            TEXT NOT NULL DEFAULT '', -- why the server paused or failed the Batch
	send_time         INTEGER NOT NULL,
	first_sent_time   INTEGER NOT NULL DEFAULT 0,
	last_sent_time    INTEGER NOT NULL DEFAULT 0,
	active_time       INTEGER NOT NULL DEFAULT 0, -- when the server last worked on the Batch, or a caller last continued it
	recent_mails      INTEGER NOT NULL DEFAULT 0, -- about the last 1,000 mails; both numbers are halved at 1,000
	recent_bounces    INTEGER NOT NULL DEFAULT 0, -- of these
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
	left_gone         INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX batch_account ON batch (account_id);
CREATE INDEX batch_sending ON batch (id) WHERE status = 'sending';

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
