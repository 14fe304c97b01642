-- +goose NO TRANSACTION
-- Indexes for Accounts with many Batches.

-- +goose Up

DROP INDEX CONCURRENTLY IF EXISTS batch_status;
CREATE INDEX CONCURRENTLY batch_status ON batch (account_id, status);
DROP INDEX CONCURRENTLY IF EXISTS batch_message;
CREATE INDEX CONCURRENTLY batch_message ON batch (account_id, message_id);
DROP INDEX CONCURRENTLY IF EXISTS batch_variants;
CREATE INDEX CONCURRENTLY batch_variants ON batch (account_id) WHERE variants <> '';
