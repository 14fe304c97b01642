-- Figures of autoresponders, and Batches with variants, local times and edited Messages.

-- +goose Up

-- The Batch that has the figures of an autoresponder.
CREATE TABLE autoresponder_batch (
	autoresponder_id BIGINT PRIMARY KEY,
	batch_id         BIGINT NOT NULL UNIQUE
);

ALTER TABLE batch ADD COLUMN local_time TEXT COLLATE "C" NOT NULL DEFAULT ''; -- name of the Field with the time zones of the recipients; '': none
ALTER TABLE batch ADD COLUMN variants TEXT COLLATE "C" NOT NULL DEFAULT ''; -- JSON of the variants, their test and the winner; '': none

-- Editions of the Messages that a Batch has sent. An edit of a Message makes a new edition.
CREATE TABLE batch_edition (
	batch_id     BIGINT NOT NULL,
	variant      BIGINT NOT NULL, -- number of the variant, from 1; 0: the Batch has no variants
	message_id   BIGINT NOT NULL,
	message_time BIGINT NOT NULL, -- last_modified_time of the Message
	subject      TEXT COLLATE "C" NOT NULL, -- with merge fields
	first_time   BIGINT NOT NULL, -- when the first mail was stored
	sent         BIGINT NOT NULL, -- number of mails that the mail server accepted
	PRIMARY KEY (batch_id, variant, message_id, message_time)
);
