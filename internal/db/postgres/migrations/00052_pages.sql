-- +goose NO TRANSACTION
-- Indexes for pages that show the newest entries of the Unsubscriber List, and why people unsubscribe. decisions.md: 136

-- +goose Up

DROP INDEX CONCURRENTLY IF EXISTS unsubscriber_time;
CREATE INDEX CONCURRENTLY unsubscriber_time ON unsubscriber (account_id, time, id);
DROP INDEX CONCURRENTLY IF EXISTS departure_reason;
CREATE INDEX CONCURRENTLY departure_reason ON departure (list_id, reason);
DROP INDEX CONCURRENTLY IF EXISTS departure_words;
CREATE INDEX CONCURRENTLY departure_words ON departure (list_id, time, contact_id) WHERE words <> '';
