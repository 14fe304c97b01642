-- Events of the mails of Batches, and their sums. Opens and clicks never change the row of a Batch.

-- +goose Up

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

-- The Batch of an event; 0 for events without a Batch.
ALTER TABLE webhook_event ADD COLUMN batch_id INTEGER NOT NULL DEFAULT 0;
