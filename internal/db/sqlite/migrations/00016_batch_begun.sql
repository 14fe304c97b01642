-- When a Batch began, and indexes for Accounts with many Batches.

-- +goose Up

-- When a sender first took recipients of the Batch; 0: no mail can have left, or an older version took them (then first_sent_time is set).
ALTER TABLE batch ADD COLUMN begun_time INTEGER NOT NULL DEFAULT 0;

CREATE INDEX batch_status ON batch (account_id, status);
CREATE INDEX batch_message ON batch (account_id, message_id);
CREATE INDEX batch_variants ON batch (account_id) WHERE variants <> '';
