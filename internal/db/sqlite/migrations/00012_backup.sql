-- Backups: the last one, and the hold after a restore.

-- +goose Up

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

ALTER TABLE mail_hold ADD COLUMN backup_time INTEGER NOT NULL DEFAULT 0; -- after a restore: when the backup was made; webhooks are held too
