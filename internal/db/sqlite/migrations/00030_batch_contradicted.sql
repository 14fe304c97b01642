-- An exact number of mails that were not opened.

-- +goose Up

-- Mails that other counts have twice, such as those that were opened and bounced. In a Batch that had such mails before, it is too small.
ALTER TABLE batch ADD COLUMN contradicted INTEGER NOT NULL DEFAULT 0;
