-- Backups: the last one, and the hold after a restore.

-- +goose Up

-- The last good backup and the schedule of serve --backup-dir: one row, or none. In a backup, the row is about this
-- backup itself.
CREATE TABLE backup (
	id         BIGINT PRIMARY KEY, -- 1
	time       BIGINT NOT NULL, -- when the last good backup began; 0: there is none
	name       TEXT COLLATE "C" NOT NULL, -- name of its file
	tried_time BIGINT NOT NULL, -- when a process last began a scheduled backup
	lease_time BIGINT NOT NULL, -- until then no other process begins one
	every      BIGINT NOT NULL, -- seconds between two scheduled backups; 0: no server makes backups
	error      TEXT COLLATE "C" NOT NULL -- why the last scheduled backup failed; empty: it did not fail
);

ALTER TABLE mail_hold ADD COLUMN backup_time BIGINT NOT NULL DEFAULT 0; -- after a restore: when the backup was made; webhooks are held too
