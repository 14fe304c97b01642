-- Mails whose opens or clicks are not recorded.

-- +goose Up

-- 1: its mails have no tracking pixel and no tracked links, whatever the List says.
ALTER TABLE batch ADD COLUMN untracked INTEGER NOT NULL DEFAULT 0;
ALTER TABLE autoresponder ADD COLUMN untracked INTEGER NOT NULL DEFAULT 0;

-- What the mail lacked: 1 the tracking pixel, 2 tracked links, 3 both. 0 also for mails from before this column.
ALTER TABLE recipient ADD COLUMN unmeasured INTEGER NOT NULL DEFAULT 0;

-- Mails that have arrived without a tracking pixel, and without tracked links. A mail that has bounced is taken off,
-- except in batch_edition, whose mails are all that were accepted.
ALTER TABLE batch ADD COLUMN unmeasured_opens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batch ADD COLUMN unmeasured_clicks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batch_domain ADD COLUMN unmeasured_opens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batch_domain ADD COLUMN unmeasured_clicks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batch_edition ADD COLUMN unmeasured_opens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batch_edition ADD COLUMN unmeasured_clicks INTEGER NOT NULL DEFAULT 0;
