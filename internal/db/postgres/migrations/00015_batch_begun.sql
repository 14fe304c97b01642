-- When a Batch began.

-- +goose Up

-- When a sender first took recipients of the Batch; 0: no mail can have left, or an older version took them (then first_sent_time is set).
ALTER TABLE batch ADD COLUMN begun_time BIGINT NOT NULL DEFAULT 0;
