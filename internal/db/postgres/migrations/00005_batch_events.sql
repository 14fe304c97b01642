-- Events of the mails of Batches, and their sums. Opens and clicks never change the row of a Batch.

-- +goose Up

-- What happened to the mail of a recipient: at most one row for each kind, and one for each link that was clicked.
CREATE TABLE recipient_event (
	list_id     BIGINT NOT NULL,
	batch_id    BIGINT NOT NULL,
	contact_id  BIGINT NOT NULL,
	kind        TEXT COLLATE "C" NOT NULL, -- opened, clicked, link, bounced, complained, unsubscribed or deactivated
	link_id     BIGINT NOT NULL, -- the clicked link; 0 for kinds other than link
	time        BIGINT NOT NULL, -- of the first event
	last_time   BIGINT NOT NULL, -- of the last event
	count       BIGINT NOT NULL, -- number of events
	human_time  BIGINT NOT NULL, -- of the first event by a person; 0: only programs
	device      TEXT COLLATE "C" NOT NULL, -- of the first open: desktop, mobile or unknown
	mail_client TEXT COLLATE "C" NOT NULL, -- of the first open: a group of mail programs
	PRIMARY KEY (list_id, batch_id, contact_id, kind, link_id)
) WITH (fillfactor = 80);
-- The recipients with a kind of event, in order of ID.
CREATE INDEX recipient_event_kind ON recipient_event (list_id, batch_id, kind, link_id, contact_id);

-- Sums of opens and clicks for a period of a Batch. Each sum is divided into 16 parts, so that transactions rarely
-- wait for each other. A report adds the parts.
CREATE TABLE batch_sum (
	batch_id            BIGINT NOT NULL,
	time                BIGINT NOT NULL, -- beginning of the period: an hour, or a day after the first week
	part                BIGINT NOT NULL, -- 0 to 15
	opens               BIGINT NOT NULL, -- requests for the image
	image_opened        BIGINT NOT NULL, -- mails that were opened first by the image
	click_opened        BIGINT NOT NULL, -- mails that were opened first by a click
	human_opened        BIGINT NOT NULL, -- mails that a person opened
	clicks              BIGINT NOT NULL,
	clicked             BIGINT NOT NULL, -- mails in which a link was clicked
	links_clicked       BIGINT NOT NULL, -- pairs of a mail and a clicked link
	human_clicked       BIGINT NOT NULL, -- mails in which a person clicked
	human_links_clicked BIGINT NOT NULL, -- pairs of a mail and a link that a person clicked
	PRIMARY KEY (batch_id, time, part)
) WITH (fillfactor = 50);

-- Clicks of the links of a Batch. The URL is stored here too, because the Message can be deleted.
CREATE TABLE batch_link (
	batch_id BIGINT NOT NULL,
	link_id  BIGINT NOT NULL,
	part     BIGINT NOT NULL, -- 0 to 15, as in batch_sum
	url      TEXT COLLATE "C" NOT NULL,
	clicks   BIGINT NOT NULL,
	contacts BIGINT NOT NULL, -- mails in which the link was clicked
	humans   BIGINT NOT NULL, -- mails in which a person clicked the link
	PRIMARY KEY (batch_id, link_id, part)
) WITH (fillfactor = 50);

-- Opened mails of a Batch by the program of the first open.
CREATE TABLE batch_agent (
	batch_id    BIGINT NOT NULL,
	device      TEXT COLLATE "C" NOT NULL,
	mail_client TEXT COLLATE "C" NOT NULL,
	part        BIGINT NOT NULL, -- 0 to 15, as in batch_sum
	opened      BIGINT NOT NULL,
	PRIMARY KEY (batch_id, device, mail_client, part)
) WITH (fillfactor = 50);

-- The Batch of an event; 0 for events without a Batch.
ALTER TABLE webhook_event ADD COLUMN batch_id BIGINT NOT NULL DEFAULT 0;
