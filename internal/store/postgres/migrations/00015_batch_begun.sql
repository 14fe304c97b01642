-- When a Batch began, and indexes for Accounts with many Batches.

-- +goose Up

-- When a sender first took recipients of the Batch; 0: no mail can have left.
ALTER TABLE batch ADD COLUMN begun_time BIGINT NOT NULL DEFAULT 0;
UPDATE batch SET begun_time = CASE WHEN first_sent_time <> 0 THEN first_sent_time ELSE active_time END
	WHERE first_sent_time <> 0 OR sent + refused + failed + doubtful + repeated > 0 OR EXISTS (
		SELECT 1 FROM batch_slice s WHERE s.batch_id = batch.id AND (s.holder <> '' OR s.done = 1
			OR s.lease_time BETWEEN 1 AND 253402300798)); -- it was leased: no lease, and one until the winner is known, are 0 and the greatest time

CREATE INDEX batch_status ON batch (account_id, status);
CREATE INDEX batch_message ON batch (account_id, message_id);
CREATE INDEX batch_variants ON batch (account_id) WHERE variants <> '';
